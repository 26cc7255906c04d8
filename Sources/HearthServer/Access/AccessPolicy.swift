package import HearthModel

/// Who may read, write and administer what: the rules of the configuration, as a value.
///
/// A request is allowed if one rule that allows it covers all that it concerns, and no rule denies
/// any part of that. So the order of the rules does not matter, and no query shows part of a
/// collection whose rest is hidden. Root and the daemon's own user may do everything: the
/// configuration is theirs.
package struct AccessPolicy: Hashable, Sendable {
    /// What can be allowed or denied.
    package enum Right: String, Hashable, Sendable, CaseIterable {
        /// To read documents, listen to them, and see what waits.
        case read
        /// To write documents, and what belongs to the cache as a whole.
        case write
        /// To steer queue and network, and to clear the cache.
        case administer
    }

    /// Whom a rule is for: as the kernel says, never as a program says of itself.
    package enum Subject: Hashable, Sendable {
        /// Whoever can connect.
        case everyone
        /// A Unix user.
        case uid(UInt32)
        /// The members of a Unix group.
        case gid(UInt32)
        /// The processes of a systemd unit.
        case unit(String)
    }

    /// One rule.
    package struct Rule: Hashable, Sendable {
        /// Its name in the configuration.
        package var name: String
        /// Whether it denies rather than allows.
        package var isDenial: Bool
        /// Whom it is for.
        package var subject: Subject
        /// What it allows or denies.
        package var rights: Set<Right>
        /// The project it is about; `nil` for all.
        package var project: String?
        /// The database of the project; `nil` for all.
        package var database: String?
        /// The collection or document, with all below it; the root for everything.
        package var path: ResourcePath

        /// Makes a rule about everything.
        package init(
            name: String, isDenial: Bool = false, subject: Subject, rights: Set<Right>,
            project: String? = nil, database: String? = nil, path: ResourcePath = .root
        ) {
            self.name = name
            self.isDenial = isDenial
            self.subject = subject
            self.rights = rights
            self.project = project
            self.database = database
            self.path = path
        }
    }

    /// The rules.
    package var rules: [Rule]

    /// Takes rules.
    package init(rules: [Rule]) {
        self.rules = rules
    }

    /// Everyone who can connect reads and writes: the socket's permissions are the only rule.
    package static let open = AccessPolicy(
        rules: [Rule(name: "everyone", subject: .everyone, rights: [.read, .write])])

    /// Nobody may do anything, but root and the daemon's own user.
    package static let closed = AccessPolicy(rules: [])

    /// What counts if the configuration has no rules: whom the client socket lets in reads and writes.
    ///
    /// - Parameters:
    ///   - group: The client socket's group.
    ///   - mode: Its permissions.
    package static func standard(group: UInt32, mode: UInt32) -> AccessPolicy {
        if mode & 0o002 != 0 { return .open }
        if mode & 0o020 == 0 { return AccessPolicy(rules: []) }
        return AccessPolicy(
            rules: [Rule(name: "client group", subject: .gid(group), rights: [.read, .write])])
    }

    /// A rule that denies everything to everyone, in the place of one that cannot be read: a slip
    /// must never open what it should have closed.
    package static func unreadable(_ name: String) -> Rule {
        Rule(
            name: name, isDenial: true, subject: .everyone, rights: Set(Right.allCases))
    }
}

extension AccessPolicy.Rule {
    /// Whether the rule is for a peer, in a database.
    func concerns(_ peer: Peer, _ place: DatabaseID) -> Bool {
        if let project, !utf8Equals(project, place.project) { return false }
        if let database, !utf8Equals(database, place.database) { return false }
        switch subject {
        case .everyone: return true
        case .uid(let uid): return uid == peer.uid
        case .gid(let gid): return gid == peer.gid || peer.groups.contains(gid)
        case .unit(let unit): return peer.unit.map { utf8Equals($0, unit) } ?? false
        }
    }

    /// Whether the rule reaches all of a scope.
    func covers(_ scope: AccessScope) -> Bool {
        switch scope {
        case .anything: true
        case .everything: path.isEmpty
        case .document(let place), .collection(let place), .group(below: let place):
            path.isPrefix(of: place)
        }
    }

    /// Whether the rule reaches any of a scope.
    func touches(_ scope: AccessScope) -> Bool {
        switch scope {
        case .anything: path.isEmpty
        case .everything: true
        case .document(let place): path.isPrefix(of: place)
        case .collection(let place):
            path.isPrefix(of: place)
                || path.count == place.count + 1 && place.isPrefix(of: path)
        case .group(below: let place): path.isPrefix(of: place) || place.isPrefix(of: path)
        }
    }
}
