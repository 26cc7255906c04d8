import HearthModel
import HearthWire

/// Reads one access rule.
///
///     allow|deny WHO RIGHT... [WHERE] [below PATH]
///     WHO    everyone | uid N | gid N | user NAME | group NAME | unit NAME | userUnit NAME uid N
///     RIGHT  read | write | administer
///     WHERE  in PROJECT[/DATABASE] | realtime [INSTANCE]
///
/// Words are separated by spaces or commas; a path may hold spaces, and is the rest of the rule. A rule
/// that does not say where is about the databases of both kinds.
package struct AccessRuleReader {
    /// Why a rule cannot be read.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, and what would be right.
        package let description: String
    }

    /// How names of users and groups become numbers.
    package struct Names: Sendable {
        /// The number of a Unix user; `nil` if there is none of the name.
        package var uid: @Sendable (String) -> UInt32?
        /// The number of a Unix group.
        package var gid: @Sendable (String) -> UInt32?

        /// Knows names.
        package init(
            uid: @escaping @Sendable (String) -> UInt32?,
            gid: @escaping @Sendable (String) -> UInt32?
        ) {
            self.uid = uid
            self.gid = gid
        }

        /// Knows no names.
        package static let none = Names(uid: { _ in nil }, gid: { _ in nil })
    }

    private var rest: Substring.UTF8View
    private let names: Names

    /// Reads the rule with a name.
    ///
    /// - Parameters:
    ///   - text: The rule as the configuration has it.
    ///   - name: The rule's key, for messages.
    ///   - names: Looks up the numbers of users and groups.
    /// - Throws: What is wrong with the rule, and what would be right.
    package static func read(
        _ text: String, name: String, names: Names = .none
    ) throws(Failure) -> AccessPolicy.Rule {
        var reader = AccessRuleReader(rest: text[...].utf8, names: names)
        return try reader.rule(name)
    }

    private mutating func rule(_ name: String) throws(Failure) -> AccessPolicy.Rule {
        let isDenial: Bool
        switch try word("allow or deny") {
        case "allow": isDenial = false
        case "deny": isDenial = true
        case let other: throw Self.unexpected(other, "allow or deny")
        }
        let subject = try subject()
        var rights: Set<AccessPolicy.Right> = []
        while let next = peek(), let right = AccessPolicy.Right(rawValue: next) {
            _ = try word("")
            rights.insert(right)
        }
        guard !rights.isEmpty else {
            throw Self.unexpected(peek() ?? "", "read, write or administer")
        }
        var rule = AccessPolicy.Rule(
            name: name, isDenial: isDenial, subject: subject, rights: rights)
        if peek() == "in" {
            _ = try word("")
            rule.place = try databases()
        } else if peek() == "realtime" {
            _ = try word("")
            rule.place = try instances()
        }
        if peek() == "below" {
            _ = try word("")
            rule.path = try path(in: rule.place)
        }
        if let extra = peek() { throw Self.unexpected(extra, "in, realtime, below or the end") }
        return rule
    }

    private mutating func subject() throws(Failure) -> AccessPolicy.Subject {
        let kind = try word(Self.subjects)
        switch kind {
        case "everyone": return .everyone
        case "uid": return .uid(try number(of: kind))
        case "gid": return .gid(try number(of: kind))
        case "user":
            let name = try word("a user's name")
            guard let uid = names.uid(name) else { throw Self.unknown("user", name) }
            return .uid(uid)
        case "group":
            let name = try word("a group's name")
            guard let gid = names.gid(name) else { throw Self.unknown("group", name) }
            return .gid(gid)
        case "unit": return .unit(try unit())
        case "userUnit":
            let unit = try unit()
            let word = try word("uid")
            guard word == "uid" else { throw Self.unexpected(word, "uid") }
            return .userUnit(UserUnit(name: unit, uid: try number(of: "uid")))
        default: throw Self.unexpected(kind, Self.subjects)
        }
    }

    private static let subjects = "everyone, uid, gid, user, group, unit or userUnit"

    private mutating func unit() throws(Failure) -> String {
        let unit = try word("a unit's name")
        guard ControlGroup.isUnit(unit) else {
            throw Failure(
                description: "\"\(unit)\" is no unit: its name ends in .service or .scope")
        }
        return unit
    }

    private mutating func number(of kind: String) throws(Failure) -> UInt32 {
        let text = try word("a number")
        guard let number = UInt32(text) else { throw Self.unexpected(text, "a \(kind)'s number") }
        return number
    }

    private mutating func databases() throws(Failure) -> AccessPlace {
        let text = try word("PROJECT or PROJECT/DATABASE")
        let parts = text.utf8Parts("/")
        guard parts.count <= 2, !parts.contains("") else {
            throw Self.unexpected(text, "PROJECT or PROJECT/DATABASE")
        }
        let project = UTF8Text(parts[0])
        return parts.count == 1
            ? .project(project) : .database(project: project, database: UTF8Text(parts[1]))
    }

    private mutating func instances() throws(Failure) -> AccessPlace {
        guard let text = peek(), text != "below" else { return .everyInstance }
        _ = try word("")
        guard let name = InstanceID.name(text) else {
            throw Self.unexpected(text, "the name of an instance, such as shop-default-rtdb,")
        }
        return .instance(UTF8Text(name))
    }

    private mutating func path(in place: AccessPlace) throws(Failure) -> ResourcePath {
        skipSpaces()
        while let last = rest.last, last == Self.space { rest.removeLast() }
        let text = String(Substring(rest))
        rest = rest[rest.endIndex...]
        switch place {
        case .everyInstance, .instance:
            guard let path = RealtimePath(text), !path.isRoot, !path.isInfo else {
                throw Self.unexpected(text, "the path of a node")
            }
            return ResourcePath(path)
        case .everywhere, .project, .database:
            guard !text.isEmpty, let path = try? ResourcePath(parsing: text), !path.isEmpty else {
                throw Self.unexpected(text, "the path of a collection, a document or a node")
            }
            return path
        }
    }

    // MARK: Words

    private static let space = UInt8(ascii: " ")

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == space || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\t")
    }

    private mutating func skipSpaces() {
        rest = rest.drop(while: Self.isSeparator)
    }

    private func peek() -> String? {
        let word = rest.drop(while: Self.isSeparator).prefix { !Self.isSeparator($0) }
        return word.isEmpty ? nil : String(Substring(word))
    }

    private mutating func word(_ wanted: String) throws(Failure) -> String {
        guard let word = peek() else { throw Self.unexpected("", wanted) }
        skipSpaces()
        rest = rest.drop { !Self.isSeparator($0) }
        return word
    }

    private static func unexpected(_ word: String, _ wanted: String) -> Failure {
        Failure(
            description: word.isEmpty
                ? "it ends where \(wanted) should stand"
                : "\"\(word)\" stands where \(wanted) should")
    }

    private static func unknown(_ kind: String, _ name: String) -> Failure {
        Failure(description: "this machine has no \(kind) \"\(name)\"")
    }
}
