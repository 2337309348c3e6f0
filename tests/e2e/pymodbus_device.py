#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: pymodbus_device.py PORT VALUE

A device of pymodbus on 127.0.0.1:PORT: holding registers 0 and 1 hold VALUE as a 32-bit float, high word first, all others 0."""
import logging
import struct
import sys

from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.server import StartTcpServer

logging.getLogger("pymodbus").setLevel(logging.CRITICAL)  # it would log every connection that ends
registers = list(struct.unpack(">2H", struct.pack(">f", float(sys.argv[2])))) + [0] * 998
unit = ModbusSlaveContext(hr=ModbusSequentialDataBlock(1, registers))  # address 0 is entry 1
where = {"context": ModbusServerContext(slaves=unit, single=True), "address": ("127.0.0.1", int(sys.argv[1]))}
try:
    StartTcpServer(**where, allow_reuse_address=True)
except TypeError:  # pymodbus 3.8 always does
    StartTcpServer(**where)
