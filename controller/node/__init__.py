"""The node: a state machine without I/O around the core's decisions."""

from klamm.controller.node.data import NodeConfig as NodeConfig
from klamm.controller.node.data import Now as Now
from klamm.controller.node.data import Phase as Phase
from klamm.controller.node.machine import Node as Node
