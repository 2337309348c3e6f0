#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: pymodbus_client.py tcp PORT | rtu PATH, then the word order: asks every function by pymodbus; prints the answers as JSON.

For the Python of the system, which alone has the package; exit status 77 if it is missing."""
import json
import sys

try:
    from pymodbus.client import ModbusSerialClient, ModbusTcpClient
    from pymodbus.constants import Endian
    from pymodbus.payload import BinaryPayloadBuilder, BinaryPayloadDecoder
except ImportError as e:
    print(e)
    sys.exit(77)

# pymodbus 3.0 (Debian 12) has other names than 3.8 (Debian 13).
OLD = hasattr(Endian, "Big")
BIG, LITTLE = (Endian.Big, Endian.Little) if OLD else (Endian.BIG, Endian.LITTLE)
ORDERS = {"abcd": (BIG, BIG), "cdab": (BIG, LITTLE), "badc": (LITTLE, BIG), "dcba": (LITTLE, LITTLE)}


def product(client):
    if not OLD:
        return client.read_device_information(slave=1).information[1].decode()
    from pymodbus.mei_message import ReadDeviceInformationRequest
    return client.execute(ReadDeviceInformationRequest(unit=1)).information[1].decode()


def main():
    kind, where, order = sys.argv[1:]
    client = ModbusTcpClient("127.0.0.1", port=int(where)) if kind == "tcp" else ModbusSerialClient(
        where, baudrate=19200, timeout=3)
    client.connect()
    byte, word = ORDERS[order]

    def floats(answer, count):
        decoder = BinaryPayloadDecoder.fromRegisters(answer.registers, byteorder=byte, wordorder=word)
        return [decoder.decode_32bit_float() for _ in range(count)]

    # Requests that only pass their arguments on know the unit by the older name.
    unit = {"unit": 1} if OLD else {"slave": 1}
    two = {"write_registers" if OLD else "values": [2]}
    builder = BinaryPayloadBuilder(byteorder=byte, wordorder=word)
    for value in (12.5, -3.25, 1e-3):
        builder.add_32bit_float(value)
    force = builder.to_registers()
    got = {
        "head": client.read_input_registers(0, count=8, slave=1).registers,
        "body": floats(client.read_input_registers(1000, count=14, slave=1), 7),
        "written": client.write_registers(100, force, slave=1).function_code,
        "sequence": client.write_register(164, 1, slave=1).function_code,
        "force": floats(client.read_holding_registers(100, count=6, slave=1), 3),
        "both": client.readwrite_registers(read_address=164, read_count=1, write_address=164, **two,
                                           **unit).registers,
        "argument": client.write_register(1, 0x12, slave=1).function_code,
        "masked": client.mask_write_register(address=1, and_mask=0xF2, or_mask=0x25, **unit).function_code,
        "after": client.read_holding_registers(1, count=1, slave=1).registers,
        "enable": client.write_coil(0, True, slave=1).function_code,
        "coils": client.read_coils(0, count=6, slave=1).bits[:6],
        "pair": client.write_coils(4, [False, False], slave=1).function_code,
        "status": client.read_discrete_inputs(0, count=16, slave=1).bits,
        "hole": client.read_input_registers(32, count=1, slave=1).exception_code,
        "half": client.write_register(100, 1, slave=1).exception_code,
        "product": product(client),
    }
    client.close()
    print(json.dumps(got))


if __name__ == "__main__":
    main()
