# SPDX-License-Identifier: MIT
"""Packets as `ali3d FILE --print-map=json` describes them: from bytes to signals and back."""
import json
import re
import struct
import subprocess
import zlib

FLOATS = {("f32", "big"): ">f", ("f32", "little"): "<f", ("f64", "big"): ">d", ("f64", "little"): "<d"}
CHECKSUMS = ("sum8", "xor8", "crc16_modbus", "crc32")


def crc16_modbus(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xA001 if crc & 1 else crc >> 1
    return crc


def checksum(kind, data):
    if kind == "sum8":
        return sum(data) & 0xFF
    if kind == "xor8":
        x = 0
        for byte in data:
            x ^= byte
        return x
    return crc16_modbus(data) if kind == "crc16_modbus" else zlib.crc32(data)


class Packet:
    """name, size, received (by ali3d), answers (it goes to where the command comes from), host and port, fields in order."""

    def __init__(self, rows, connection):
        self.name, self.size, self.received = rows[0]["packet"], rows[0]["packet_bytes"], rows[0]["divisor"] == 0
        self.host, self.port, self.line = connection["host"], connection["port"], connection["line"]
        self.answers = connection["protocol"].startswith("answers")
        self.fields = rows
        self.signals = [r["signal"] for r in rows if r["signal"]]

    def parse(self, data):
        """{signal: value}; None if size, constant bytes or checksum are wrong."""
        if len(data) != self.size:
            return None
        values = {}
        for f in self.fields:
            part = data[f["at"]:f["at"] + f["bytes"]]
            if f["type"] == "bytes" and part != bytes.fromhex(f["text"].replace(" ", "")):
                return None
            if f["type"] in CHECKSUMS and int.from_bytes(part, f["endian"] or "big") != checksum(f["type"], data[first_byte(f):f["at"]]):
                return None
            if f["signal"]:
                values[f["signal"]] = self.value(f, part)
        return values

    @staticmethod
    def value(f, part):
        if form := FLOATS.get((f["type"], f["endian"])):
            number = struct.unpack(form, part)[0]
        else:
            number = int.from_bytes(part, f["endian"] or "big", signed=f["type"].startswith("i"))
        if pairs := re.findall(r"(-?[\d.]+): (-?[\d.]+),", f["text"]):  # a table: the first value with this number
            return next((float(v) for v, n in pairs if float(n) == number), float("nan"))
        return f["scale"] * number + f["offset"]

    def build(self, values, count):
        """Bytes with these values of signals; a signal without a value is 0."""
        data = bytearray(self.size)
        for f in self.fields:
            at, end = f["at"], f["at"] + f["bytes"]
            endian = f["endian"] or "big"
            if f["type"] == "bytes":
                data[at:end] = bytes.fromhex(f["text"].replace(" ", ""))
            elif f["type"] in CHECKSUMS:
                data[at:end] = checksum(f["type"], bytes(data[first_byte(f):at])).to_bytes(f["bytes"], endian)
            elif f["type"] != "zeros":
                data[at:end] = self.number(f, values, count, endian)
        return bytes(data)

    @staticmethod
    def number(f, values, count, endian):
        if f["signal"]:
            number = (values.get(f["signal"], 0.0) - f["offset"]) / f["scale"]
        else:
            number = float(f["text"].split()[-1]) if f["text"].startswith("always") else count
        if form := FLOATS.get((f["type"], f["endian"])):
            return struct.pack(form, number)
        bits = 8 * f["bytes"]
        return (round(number) % (1 << bits)).to_bytes(f["bytes"], endian)


def first_byte(f):
    return int(re.search(r"bytes (\d+) to", f["text"]).group(1))


def read_map(ali3d, config):
    """Everything that a configuration sends and receives."""
    printed = subprocess.run([ali3d, config, "--print-map=json"], capture_output=True, text=True, check=False)
    if printed.returncode != 0:
        raise ValueError(printed.stderr.strip() or f"{ali3d} {config} --print-map failed")
    return json.loads(printed.stdout)


def packets_of(io_map):
    rows = {}
    for row in io_map["packets"]:
        rows.setdefault(row["packet"], []).append(row)
    places = {c["text"]: c for c in io_map["connections"] if "packets" in c["protocol"] or "answers" in c["protocol"]}
    return [Packet(r, places[name]) for name, r in rows.items()]
