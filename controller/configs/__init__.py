"""Configs of topics and brokers: which there are, what may be set, what is shown. Pure.

values         types and valid values, by the rules of Kafka's ConfigDef
definition     one config
topic_keys     every config of a topic, as a table
broker_keys    those of a broker that change while it runs, and klamm's own
static_keys    those of a broker that do not
layers         where a value comes from
validation     what may be set
describe       DescribeConfigs of one topic or node, and its transaction
alter          IncrementalAlterConfigs of one topic or broker, as a transaction
producer_ids   blocks of producer ids, as a transaction
"""

from klamm.controller.configs.describe import topic_values as topic_values
from klamm.controller.configs.validation import check_topic as check_topic
