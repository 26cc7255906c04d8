import HearthEngine
package import HearthModel
package import HearthWire

/// Who may read, write and administer what: the rules of the configuration, as a value.
///
/// A policy allows a request if one allowing rule covers everything that the request concerns, and
/// no rule denies a part of the request. A rule that denies something to a unit denies the same to
/// processes of unknown units. So the order of the rules does not matter, and no query shows part
/// of a collection whose rest is hidden. Root and the daemon's own user may do everything, because
/// the configuration belongs to root and the daemon's user.
package struct AccessPolicy: Hashable, Sendable {
    /// What can be allowed or denied.
    package typealias Right = AccessRight

    /// Whom a rule is for: as the kernel says, never as a program says of itself.
    package enum Subject: Hashable, Sendable {
        /// Whoever can connect.
        case everyone
        /// A Unix user.
        case uid(UInt32)
        /// The members of a Unix group.
        case gid(UInt32)
        /// The processes of one of the system's units.
        case unit(String)
        /// The processes of a unit of a user's own manager.
        case userUnit(UserUnit)
    }

    /// One rule.
    package struct Rule: Hashable, Sendable {
        /// The rule's name in the configuration.
        package var name: String
        /// Whether the rule denies rather than allows.
        package var isDenial: Bool
        /// The subject of the rule.
        package var subject: Subject
        /// The rights that the rule allows or denies.
        package var rights: Set<Right>
        /// The databases of the rule.
        package var place: AccessPlace
        /// The collection, document or node, with all below it; the root for everything.
        package var path: ResourcePath

        /// Makes a rule, about everything unless `place` and `path` say less.
        ///
        /// - Parameters:
        ///   - name: The rule's name in the configuration.
        ///   - isDenial: Whether the rule denies rather than allows.
        ///   - subject: Whom the rule is about.
        ///   - rights: The rights that the rule allows or denies.
        ///   - place: The databases of the rule.
        ///   - path: The collection, document or node, with all below it; the root for everything.
        package init(
            name: String, isDenial: Bool = false, subject: Subject, rights: Set<Right>,
            in place: AccessPlace = .everywhere, path: ResourcePath = .root
        ) {
            self.name = name
            self.isDenial = isDenial
            self.subject = subject
            self.rights = rights
            self.place = place
            self.path = path
        }
    }

    /// The rules.
    package let rules: [Rule]
    /// The same by what they are about, shared by all sessions.
    private let trees: [AccessRuleTree.Key: AccessRuleTree]

    /// Takes rules.
    package init(rules: [Rule]) {
        self.rules = rules
        var trees: [AccessRuleTree.Key: AccessRuleTree] = [:]
        for (order, rule) in rules.enumerated() {
            for right in rule.rights {
                let key = AccessRuleTree.Key(
                    subject: rule.subject.key, place: rule.place, right: right)
                trees[key, default: AccessRuleTree()].insert(rule, order: order)
                if rule.isDenial, rule.subject.isUnit {
                    trees[key.ofUnknownUnit, default: AccessRuleTree()].insert(rule, order: order)
                }
            }
        }
        self.trees = trees
    }

    /// Whether a rule allows a peer a right to anything, in any database.
    package func allows(_ right: Right, to peer: Peer) -> Bool {
        if peer.isAdministrator { return true }
        let subjects = Set(Self.subjects(of: peer))
        return rules.contains {
            !$0.isDenial && $0.rights.contains(right) && subjects.contains($0.subject.key)
        }
    }

    /// Whether the rules allow a peer nothing at all.
    package func isGuest(_ peer: Peer) -> Bool {
        !Right.allCases.contains { allows($0, to: peer) }
    }

    /// The rules about a right of a peer in a database. O(groups of the peer).
    func trees(_ right: Right, of peer: Peer, in key: EngineKey) -> [AccessRuleTree] {
        let places = AccessPlace.all(of: key)
        return Self.subjects(of: peer).flatMap { subject in
            places.compactMap { place in
                trees[AccessRuleTree.Key(subject: subject, place: place, right: right)]
            }
        }
    }

    private static func subjects(of peer: Peer) -> [AccessRuleTree.Key.Subject] {
        var subjects: [AccessRuleTree.Key.Subject] = [.everyone, .uid(peer.uid)]
        for gid in Set([peer.gid] + peer.groups) { subjects.append(.gid(gid)) }
        if let unit = peer.unit { subjects.append(.unit(UTF8Text(unit))) }
        if let unit = peer.userUnit { subjects.append(.userUnit(UTF8Text(unit.name), unit.uid)) }
        if !peer.isUnitKnown { subjects.append(.unknownUnit) }
        return subjects
    }

    /// Everyone who can connect reads and writes: the socket's permissions are the only rule.
    package static let open = AccessPolicy(
        rules: [Rule(name: "everyone", subject: .everyone, rights: [.read, .write])])

    /// Nobody may do anything, but root and the daemon's own user.
    package static let closed = AccessPolicy(rules: [])

    /// The policy of a configuration without rules.
    ///
    /// Every user whom the client socket admits may read and write.
    ///
    /// - Parameters:
    ///   - group: The client socket's group.
    ///   - mode: The socket's permissions.
    package static func standard(group: UInt32, mode: UInt32) -> AccessPolicy {
        if mode & 0o002 != 0 { return .open }
        if mode & 0o020 == 0 { return AccessPolicy(rules: []) }
        return AccessPolicy(
            rules: [Rule(name: "client group", subject: .gid(group), rights: [.read, .write])])
    }

    /// A rule that denies everything to everyone, in the place of a rule that cannot be read.
    ///
    /// A slip in a denying rule must never open the documents that the rule should have closed.
    package static func unreadable(_ name: String) -> Rule {
        Rule(
            name: name, isDenial: true, subject: .everyone, rights: Set(Right.allCases))
    }
}

extension AccessPolicy.Subject {
    /// The subject, told apart by bytes.
    fileprivate var key: AccessRuleTree.Key.Subject {
        switch self {
        case .everyone: .everyone
        case .uid(let uid): .uid(uid)
        case .gid(let gid): .gid(gid)
        case .unit(let unit): .unit(UTF8Text(unit))
        case .userUnit(let unit): .userUnit(UTF8Text(unit.name), unit.uid)
        }
    }

    fileprivate var isUnit: Bool {
        switch self {
        case .unit, .userUnit: true
        case .everyone, .uid, .gid: false
        }
    }
}
