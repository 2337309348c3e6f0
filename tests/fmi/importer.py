# SPDX-License-Identifier: MIT
"""An importer of FMUs for the tests, on ctypes: FMI 3.0 and FMI 2.0, with the same methods."""
import ctypes
import pathlib
import platform
import xml.etree.ElementTree
import zipfile

OK, WARNING, DISCARD, ERROR = range(4)
LOG3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
LOG2 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
double, size_t, pointer, boolean, text = ctypes.c_double, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_bool, ctypes.c_char_p


class Callbacks2(ctypes.Structure):
    _fields_ = [("logger", LOG2), ("allocate", pointer), ("free", pointer), ("finished", pointer), ("environment", pointer)]


class Fmu:
    """An FMU in a folder of its own."""

    def __init__(self, file, folder):
        self.file, self.folder = pathlib.Path(file), pathlib.Path(folder)
        with zipfile.ZipFile(file) as z:
            z.extractall(self.folder)
        root = xml.etree.ElementTree.parse(self.folder / "modelDescription.xml").getroot()
        self.version = int(root.get("fmiVersion")[0])
        self.token = root.get("instantiationToken") or root.get("guid")
        self.identifier = root.find("CoSimulation").get("modelIdentifier")
        self.period = float(root.find("DefaultExperiment").get("stepSize"))
        self.variables = {v.get("name"): dict(v.attrib, **(v[0].attrib if len(v) else {}), type=v[0].tag if len(v) else v.tag)
                          for v in root.find("ModelVariables")}
        self.reference = {name: int(v["valueReference"]) for name, v in self.variables.items()}
        machine = platform.machine()
        tuple3 = {"x86_64": "x86_64-linux", "aarch64": "aarch64-linux"}[machine]
        tuple2 = {"x86_64": "linux64", "aarch64": "aarch64-linux"}[machine]
        self.object = self.folder / "binaries" / (tuple3 if self.version == 3 else tuple2) / f"{self.identifier}.so"
        self.exports = ctypes.CDLL(str(self.object))
        self.resources = self.folder / "resources"

    def names(self, causality):
        return [n for n, v in self.variables.items() if v["causality"] == causality]

    def instantiate(self, resources=None, token=None, name="a"):
        return Instance(self, str(self.resources) + "/" if resources is None else resources, token or self.token, name)


class Instance:
    """An instance; `status` is the last status, and `log` has all messages. handle None: it was refused."""

    def __init__(self, fmu, resources, token, name):
        self.fmu, self.log, self.status = fmu, [], OK
        at, words = None if resources == "" else resources.encode(), (name.encode(), token.encode())
        if fmu.version == 3:
            self.callback = LOG3(lambda e, s, c, m: self.log.append((s, c.decode(), m.decode())))
            make = fmu.exports.fmi3InstantiateCoSimulation
            make.restype = pointer
            make.argtypes = [text, text, text, boolean, boolean, boolean, boolean, pointer, size_t, pointer, LOG3, pointer]
            self.handle = make(*words, at, False, True, False, False, None, 0, None, self.callback, None)
        else:
            self.callback = LOG2(lambda e, n, s, c, f, m: self.log.append((s, c.decode(), m.decode())))
            self.functions = Callbacks2(logger=self.callback)
            make = fmu.exports.fmi2Instantiate
            make.restype = pointer
            make.argtypes = [text, ctypes.c_int, text, text, pointer, ctypes.c_int, ctypes.c_int]
            self.handle = make(words[0], 1, words[1], at, ctypes.byref(self.functions), 0, 1)

    def call(self, name, *arguments):
        """Calls fmi3NAME, or fmi2NAME."""
        function = getattr(self.fmu.exports, f"fmi{self.fmu.version}{name}")
        function.restype = ctypes.c_int
        self.status = function(pointer(self.handle), *arguments)
        return self.status

    def free(self):
        free = getattr(self.fmu.exports, f"fmi{self.fmu.version}FreeInstance")
        free.restype, free.argtypes = None, [pointer]
        free(self.handle)
        self.handle = None

    def enter(self, start=0.0):
        if self.fmu.version == 3:
            return self.call("EnterInitializationMode", False, double(0), double(start), False, double(0))
        self.call("SetupExperiment", 0, double(0), double(start), 0, double(0))
        return self.status or self.call("EnterInitializationMode")

    def start(self, start=0.0):
        status = self.enter(start)
        return status if status >= ERROR else self.call("ExitInitializationMode")

    def step(self, at, size):
        if self.fmu.version == 2:
            return self.call("DoStep", double(at), double(size), 1)
        flags, last = [boolean(True) for _ in range(3)], double()
        status = self.call("DoStep", double(at), double(size), True, *map(ctypes.byref, flags), ctypes.byref(last))
        self.last = last.value
        assert not any(f.value for f in flags)
        return status

    def get(self, *names):
        n = len(names)
        references, values = (ctypes.c_uint32 * n)(*[self.fmu.reference[x] for x in names]), (double * n)()
        more = [size_t(n)] if self.fmu.version == 3 else []
        self.call("GetFloat64" if self.fmu.version == 3 else "GetReal", references, size_t(n), values, *more)
        return list(values)

    def set(self, **by_name):
        return self.put(by_name)

    def put(self, by_name):
        n = len(by_name)
        references, values = (ctypes.c_uint32 * n)(*[self.fmu.reference[x] for x in by_name]), (double * n)(*by_name.values())
        more = [size_t(n)] if self.fmu.version == 3 else []
        return self.call("SetFloat64" if self.fmu.version == 3 else "SetReal", references, size_t(n), values, *more)

    def put_whole(self, name, value):
        more = [size_t(1)] if self.fmu.version == 3 else []
        return self.call("SetInt32" if self.fmu.version == 3 else "SetInteger", (ctypes.c_uint32 * 1)(self.fmu.reference[name]), size_t(1),
                         (ctypes.c_int32 * 1)(value), *more)

    def _state(self, name):
        """The spelling of FMI 2 has a small letter."""
        return name if self.fmu.version == 3 else name.replace("FMUState", "FMUstate").replace("Deserialize", "DeSerialize")

    def save(self):
        state = pointer()
        self.call(self._state("GetFMUState"), ctypes.byref(state))
        return state

    def load(self, state):
        return self.call(self._state("SetFMUState"), state)

    def free_state(self, state):
        return self.call(self._state("FreeFMUState"), ctypes.byref(state))

    def serialise(self, state):
        size = size_t()
        self.call(self._state("SerializedFMUStateSize"), state, ctypes.byref(size))
        out = (ctypes.c_ubyte * size.value)()
        self.call(self._state("SerializeFMUState"), state, out, size)
        return bytes(out)

    def deserialise(self, raw):
        state = pointer()
        self.call(self._state("DeserializeFMUState"), raw, size_t(len(raw)), ctypes.byref(state))
        return state
