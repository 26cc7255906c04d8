/// Reads in which of systemd's units a control group is.
package enum ControlGroup {
    /// The units of a process.
    package struct Place: Hashable, Sendable {
        /// The system's unit; `nil` if it is in none.
        package var unit: String?
        /// The unit of a user's own manager, below that user's `user@UID.service`.
        package var userUnit: UserUnit?

        /// Names the units; none at all for a process outside any.
        package init(unit: String? = nil, userUnit: UserUnit? = nil) {
            self.unit = unit
            self.userUnit = userUnit
        }
    }

    /// The units in the text of `/proc/PID/cgroup`; `nil` if it does not tell them.
    ///
    /// Of the units on the way from the root the outermost counts, since only systemd itself and
    /// root make groups that high. The groups below belong to the outermost unit: a service with
    /// `Delegate=`, a container or a user's manager may give them any name.
    ///
    /// Shape: lines of `number:controllers:path`; systemd's own has no controllers, or in the old
    /// hierarchy `name=systemd`.
    package static func place(inGroups text: String) -> Place? {
        var place: Place?
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(
                separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[1].isEmpty || isNamed("name=systemd", parts[1]) else {
                continue
            }
            let names = parts[2].split(separator: UInt8(ascii: "/"))
            // Seen from inside another tree, or of a group that is gone.
            if names.first.map({ isNamed("..", $0) }) ?? false { return nil }
            if ends(parts[2], in: " (deleted)") { return nil }
            let found = self.place(in: names.map { unescaped($0) })
            if found.unit != nil { return found }
            place = found
        }
        return place
    }

    /// The group's place in the one tree of the newer kernels; `nil` if the text names none.
    static func unifiedPath(in text: String) -> String? {
        let line = text.utf8.split(separator: UInt8(ascii: "\n")).first {
            isNamed("0::/", $0.prefix(4))
        }
        return line.map { String(decoding: $0.dropFirst(3), as: UTF8.self) }
    }

    /// Whether a name is one of a service or a scope, which alone have processes.
    package static func isUnit(_ name: String) -> Bool {
        ends(name.utf8[...], in: ".service") || ends(name.utf8[...], in: ".scope")
    }

    private static func place(in names: [String]) -> Place {
        guard let index = names.firstIndex(where: isUnit) else { return Place() }
        var place = Place(unit: names[index])
        if let uid = owner(ofManager: names[index]),
            let own = names[(index + 1)...].first(where: isUnit)
        {
            place.userUnit = UserUnit(name: own, uid: uid)
        }
        return place
    }

    /// The user whose manager a service `user@UID.service` is.
    private static func owner(ofManager unit: String) -> UInt32? {
        let (prefix, suffix) = ("user@", ".service")
        guard isNamed(prefix, unit.utf8.prefix(prefix.utf8.count)) else { return nil }
        return UInt32(unit.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
    }

    /// systemd puts `_` before names that the kernel has taken.
    private static func unescaped(_ name: Substring.UTF8View) -> String {
        String(decoding: name.first == UInt8(ascii: "_") ? name.dropFirst() : name, as: UTF8.self)
    }

    private static func ends(_ name: Substring.UTF8View, in suffix: String) -> Bool {
        isNamed(suffix, name.suffix(suffix.utf8.count))
    }

    private static func isNamed(_ name: String, _ bytes: Substring.UTF8View) -> Bool {
        bytes.elementsEqual(name.utf8)
    }
}

extension UInt32 {
    fileprivate init?(_ digits: Substring.UTF8View) {
        self.init(String(decoding: digits, as: UTF8.self))
    }
}
