# SPDX-License-Identifier: MIT
"""A robot from URDF with numpy, written from the description of the format: an oracle for ali3-import, with none of its code.

rpy is about fixed axes x, y, z in this order; axes and mimic are in the frame of the joint; the default axis is x."""
import xml.etree.ElementTree

import numpy as np

GRAVITY = np.array([0, 0, -9.81])
MOVING = ("revolute", "continuous", "prismatic")


def numbers(element, name, default):
    text = element.get(name) if element is not None else None
    return np.array([float(word) for word in text.split()]) if text is not None else np.array(default, float)


def turn(axis, angle):
    """By the series of the exponential in closed form: 1 + sin K + (1 - cos) K K."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def place(origin):
    """4 x 4 from an element origin."""
    T = np.eye(4)
    roll, pitch, yaw = numbers(origin, "rpy", [0, 0, 0])
    T[:3, :3] = turn([0, 0, 1], yaw) @ turn([0, 1, 0], pitch) @ turn([1, 0, 0], roll)
    T[:3, 3] = numbers(origin, "xyz", [0, 0, 0])
    return T


class Link:
    """Mass (kg), centre (m) and inertia about it (kg m^2), in the axes of the link."""

    def __init__(self, element):
        self.mass, self.centre, self.inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        inertial = element.find("inertial")
        if inertial is None:
            return
        T = place(inertial.find("origin"))
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        self.mass = float(mass.get("value")) if mass is not None else 0.0
        if inertia is not None:
            a = {key: float(inertia.get(key, 0)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
            own = np.array([[a["ixx"], a["ixy"], a["ixz"]], [a["ixy"], a["iyy"], a["iyz"]], [a["ixz"], a["iyz"], a["izz"]]])
            self.inertia = T[:3, :3] @ own @ T[:3, :3].T
        self.centre = T[:3, 3]

    @property
    def light(self):
        return self.mass == 0 and not self.inertia.any()


class Joint:
    def __init__(self, element):
        self.name, self.type = element.get("name"), element.get("type")
        self.parent, self.child = element.find("parent").get("link"), element.find("child").get("link")
        self.origin = place(element.find("origin"))
        axis = numbers(element.find("axis"), "xyz", [1, 0, 0])
        self.axis = axis / np.linalg.norm(axis) if axis.any() else axis
        limit, mimic = element.find("limit"), element.find("mimic")
        self.lower = self.upper = None
        if limit is not None and self.type in ("revolute", "prismatic") and (limit.get("lower") or limit.get("upper")):
            self.lower, self.upper = float(limit.get("lower", 0)), float(limit.get("upper", 0))
        self.leader = None if mimic is None or self.type not in MOVING else mimic.get("joint")
        self.ratio = 1.0 if mimic is None else float(mimic.get("multiplier", 1))
        self.offset = 0.0 if mimic is None else float(mimic.get("offset", 0))

    def motion(self, q):
        T = np.eye(4)
        if self.type == "prismatic":
            T[:3, 3] = self.axis * q
        elif self.type in MOVING:
            T[:3, :3] = turn(self.axis, q)
        return T


class Robot:
    """free: None as ali3-import chooses, or whether the base moves. fixed: names of joints that do not move. needed: links that
    loops need."""

    def __init__(self, path, free=None, fixed=(), needed=()):
        root = xml.etree.ElementTree.parse(path).getroot()
        self.links = {e.get("name"): Link(e) for e in root.findall("link")}
        self.joints = {e.get("name"): Joint(e) for e in root.findall("joint")}
        for name in fixed:
            self.joints[name].type = "fixed"
        self.needed = needed
        self.above = {j.child: j for j in self.joints.values()}
        (self.root,) = [name for name in self.links if name not in self.above]
        self.order = self._sorted()
        self.body = {}  # the first link of the body that a link is part of
        for link in self.order:
            joint = self.above.get(link)
            self.body[link] = self.body[joint.parent] if joint and joint.type == "fixed" else link
        self.free = self._is_free() if free is None else free
        self.dropped = self._dropped()

    def _sorted(self):
        below = {}
        for joint in self.joints.values():
            below.setdefault(joint.parent, []).append(joint.child)
        order = [self.root]
        for link in order:
            order += below.get(link, [])
        return order

    def members(self, body):
        return [link for link in self.order if self.body[link] == body]

    def _is_free(self):
        if self.root == "world" and self.links["world"].light:
            return False
        return not all(self.links[link].light for link in self.members(self.root))

    def _dropped(self):
        """Bodies at the end of a branch that have no mass."""
        dropped, changed = set(), True
        while changed:
            changed = False
            for body in set(self.body.values()) - dropped - {self.root} - {self.body[link] for link in self.needed}:
                if not all(self.links[link].light for link in self.members(body)):
                    continue
                if any(self.body[j.parent] == body and self.body[j.child] not in dropped | {body} for j in self.joints.values()):
                    continue
                if any(j.leader == self.above[body].name and self.body[j.child] not in dropped for j in self.joints.values()):
                    continue
                dropped.add(body)
                changed = True
        return dropped

    def bodies(self):
        """First links of the bodies that move, from the root outwards."""
        return [link for link in self.order
                if self.body[link] == link and link not in self.dropped and (link != self.root or self.free)]

    def leads(self):
        """Joints whose coordinates are independent."""
        return [self.above[body].name for body in self.bodies()
                if body != self.root and self.above[body].type in MOVING and not self._follows(self.above[body])]

    def _follows(self, joint):
        return joint.leader is not None and joint.ratio != 0 and self.joints[joint.leader].type in MOVING

    def factor(self, name):
        """(name, ratio, offset): the independent joint that a joint follows."""
        joint, ratio, offset = self.joints[name], 1.0, 0.0
        while joint.leader is not None:
            offset += ratio * joint.offset
            ratio *= joint.ratio
            joint = self.joints[joint.leader]
        return joint.name, ratio, offset

    def coordinates(self, q):
        """The coordinates of all joints, from those of the independent ones; missing ones are 0."""
        every = {}
        for name in self.joints:
            lead, ratio, offset = self.factor(name)
            every[name] = ratio * q.get(lead, 0.0) + offset
        return every

    def places(self, q):
        every, T = self.coordinates(q), {self.root: np.eye(4)}
        for link in self.order[1:]:
            joint = self.above[link]
            T[link] = T[joint.parent] @ joint.origin @ joint.motion(every[joint.name])
        return T

    def weigh(self, T, links):
        """(mass, centre, inertia about it) of links together, in the axes of the world."""
        mass = sum(self.links[link].mass for link in links)
        centres = {link: T[link][:3, :3] @ self.links[link].centre + T[link][:3, 3] for link in links}
        centre = sum(self.links[link].mass * centres[link] for link in links) / mass if mass else T[links[0]][:3, 3]
        inertia = np.zeros((3, 3))
        for link in links:
            R, d = T[link][:3, :3], centres[link] - centre
            inertia += R @ self.links[link].inertia @ R.T + self.links[link].mass * (d @ d * np.eye(3) - np.outer(d, d))
        return mass, centre, inertia

    def accelerations(self, q, held=False):
        """{body: (of the centre of mass, angular)} from rest under gravity, the number of freedoms, and the condition of the mass
        matrix. held: drives hold the joints."""
        T, leads = self.places(q), [] if held else self.leads()
        columns = leads + (list(range(6)) if self.free else [])
        M, Q, J, size = np.zeros((len(columns),) * 2), np.zeros(len(columns)), {}, {}
        for body in self.bodies():
            mass, centre, inertia = self.weigh(T, self.members(body))
            J[body] = np.zeros((6, len(columns)))
            link = body
            while link != self.root:
                joint = self.above[link]
                if joint.type in MOVING and self.factor(joint.name)[0] in leads:
                    lead, ratio, _ = self.factor(joint.name)
                    axis = T[link][:3, :3] @ joint.axis
                    k = columns.index(lead)
                    if joint.type == "prismatic":
                        J[body][:3, k] += ratio * axis
                    else:
                        J[body][:3, k] += ratio * np.cross(axis, centre - T[link][:3, 3])
                        J[body][3:, k] += ratio * axis
                link = joint.parent
            if self.free:
                for i in range(3):
                    unit = np.eye(3)[i]
                    J[body][:3, len(leads) + i] = unit
                    J[body][:3, len(leads) + 3 + i] = np.cross(unit, centre)
                    J[body][3:, len(leads) + 3 + i] = unit
            size[body] = np.zeros((6, 6))
            size[body][:3, :3], size[body][3:, 3:] = mass * np.eye(3), inertia
            M += J[body].T @ size[body] @ J[body]
            Q += J[body][:3].T @ (mass * GRAVITY)
        a = np.linalg.solve(M, Q) if columns else Q
        return {body: (J[body][:3] @ a, J[body][3:] @ a) for body in J}, len(columns), np.linalg.cond(M) if columns else 1.0
