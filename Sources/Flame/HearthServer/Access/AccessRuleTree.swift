import HearthModel
import HearthWire

/// The rules of one key by their paths; the key names a subject, a right and a database.
///
/// The time of a lookup grows with the length of the path and the depth of the rules, but not with
/// the number of rules.
struct AccessRuleTree: Hashable, Sendable {
    /// The subject, the databases and the right of a tree's rules.
    struct Key: Hashable, Sendable {
        /// A subject, told apart by bytes.
        enum Subject: Hashable, Sendable {
            case everyone
            case uid(UInt32)
            case gid(UInt32)
            case unit(UTF8Text)
            case userUnit(UTF8Text, UInt32)
            /// Every process whose unit is unknown; only denying rules have this subject.
            case unknownUnit
        }

        var subject: Subject
        /// The databases of the rules.
        let place: AccessPlace
        let right: AccessPolicy.Right

        /// The same for processes of unknown units.
        var ofUnknownUnit: Key {
            var key = self
            key.subject = .unknownUnit
            return key
        }
    }

    /// A rule that denies something.
    struct Denial: Hashable, Sendable {
        /// The rule's place in the configuration; of many denials the first is named.
        let order: Int
        let name: String
    }

    /// The depth of the deepest rule; lookups ignore ancestors below this depth.
    private var depthMax = 0
    private var allowed: Set<ResourcePath> = []
    private var denied: [ResourcePath: Denial] = [:]
    /// By each path, the first rule that denies something at the path or below.
    private var deniedBelow: [ResourcePath: Denial] = [:]
    /// By each path, the first rule that denies something one step below the path.
    private var deniedChildren: [ResourcePath: Denial] = [:]

    /// Whether a rule allows everything, and none denies anything.
    var holdsEverywhere: Bool { allowed.contains(.root) && denied.isEmpty }

    /// Whether a rule allows anything.
    var allowsAnything: Bool { !allowed.isEmpty }

    /// Whether a rule denies anything.
    var hasDenials: Bool { !denied.isEmpty }

    /// Puts a rule in. O(depth).
    mutating func insert(_ rule: AccessPolicy.Rule, order: Int) {
        depthMax = max(depthMax, rule.path.count)
        guard rule.isDenial else {
            allowed.insert(rule.path)
            return
        }
        let denial = Denial(order: order, name: rule.name)
        Self.keep(denial, at: rule.path, in: &denied)
        if !rule.path.isEmpty { Self.keep(denial, at: rule.path.parent, in: &deniedChildren) }
        for place in rule.path.withAncestors { Self.keep(denial, at: place, in: &deniedBelow) }
    }

    /// Whether a rule that allows reaches all of a scope.
    func covers(_ scope: AccessScope) -> Bool {
        if allowed.isEmpty { return false }
        switch scope {
        case .anything: return true
        case .everything: return allowed.contains(.root)
        case .document(let place), .collection(let place), .group(below: let place):
            return covers(place)
        case .subtree(let path): return covers(ResourcePath(path))
        }
    }

    private func covers(_ place: ResourcePath) -> Bool {
        place.prefix(depthMax).withAncestors.contains { allowed.contains($0) }
    }

    /// The first rule that denies any of a scope; `nil` if none does.
    func denial(of scope: AccessScope) -> Denial? {
        if denied.isEmpty { return nil }
        switch scope {
        case .anything: return denied[.root]
        case .everything: return deniedBelow[.root]
        case .document(let place): return denial(above: place)
        case .collection(let place): return Self.first(denial(above: place), deniedChildren[place])
        case .group(below: let place): return denial(aroundAllOf: place)
        case .subtree(let path): return denial(aroundAllOf: ResourcePath(path))
        }
    }

    /// The first rule that denies something at a place, above or below.
    private func denial(aroundAllOf place: ResourcePath) -> Denial? {
        Self.first(denial(above: place), deniedBelow[place])
    }

    private func denial(above place: ResourcePath) -> Denial? {
        place.prefix(depthMax).withAncestors.reduce(nil) { Self.first($0, denied[$1]) }
    }

    private static func keep(
        _ denial: Denial, at place: ResourcePath, in table: inout [ResourcePath: Denial]
    ) {
        table[place] = first(table[place], denial)
    }

    /// The one of two that comes first in the configuration.
    static func first(_ one: Denial?, _ other: Denial?) -> Denial? {
        guard let one, let other else { return one ?? other }
        return one.order <= other.order ? one : other
    }
}

extension ResourcePath {
    /// The path and all above it, down from itself to the root.
    fileprivate var withAncestors: UnfoldFirstSequence<ResourcePath> {
        sequence(first: self) { $0.isEmpty ? nil : $0.parent }
    }
}
