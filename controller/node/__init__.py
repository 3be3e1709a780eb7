"""The node: a state machine without I/O around the core's decisions."""

from klamm.controller.node.machine import Node as Node
from klamm.controller.node.machine import NodeConfig as NodeConfig
from klamm.controller.node.machine import Now as Now
from klamm.controller.node.machine import Phase as Phase
