import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

/// A look-up of many rules means the same as each rule by itself.
struct AccessGrantTests {
    private static let database = DatabaseID(project: "demo")
    private static let peer = Peer(
        uid: 60_001, gid: 60_100, pid: 42, unit: "till.service", groups: [60_200])
    private static let databases: [AccessPlace] =
        [.everywhere, .everywhere, .everyInstance, .instance(UTF8Text("demo"))]
        + ["demo", "other"].flatMap { project in
            [.project(UTF8Text(project))]
                + ["(default)", "other"].map {
                    AccessPlace.database(project: UTF8Text(project), database: UTF8Text($0))
                }
        }
    private static let places: [ResourcePath] = [
        .root, ResourcePath(["a"]), ResourcePath(["a", "b"]), ResourcePath(["a", "b", "c"]),
        ResourcePath(["a", "b", "c", "d"]), ResourcePath(["a", "x"]), ResourcePath(["x"]),
    ]

    @Test(arguments: 1...20)
    func `many rules mean what each says by itself`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let rules = (0..<Int.random(in: 0...12, using: &random)).map {
                rule(number: $0, using: &random)
            }
            let grant = AccessGrant(
                AccessPolicy(rules: rules), to: Self.peer, in: .firestore(Self.database))
            for right in AccessPolicy.Right.allCases {
                for scope in scopes() {
                    let refusal = grant.refusal(of: right, to: scope)
                    let expected = expectation(rules, right, scope)
                    #expect((refusal == nil) == expected.isAllowed, "\(rules) \(right) \(scope)")
                    #expect(refusal?.rule == expected.rule)
                }
                let holds = grant.holdsEverywhere(right)
                let all = scopes().allSatisfy { expectation(rules, right, $0).isAllowed }
                #expect(!holds || all)
            }
        }
    }

    private func rule(
        number: Int, using random: inout SeededRandom
    ) -> AccessPolicy.Rule {
        let subjects: [AccessPolicy.Subject] = [
            .everyone, .uid(60_001), .uid(7), .gid(60_100), .gid(60_200), .gid(7),
            .unit("till.service"), .unit("other.service"),
            .userUnit(UserUnit(name: "till.service", uid: 60_001)),
        ]
        let rights = AccessPolicy.Right.allCases.filter { _ in Bool.random(using: &random) }
        return AccessPolicy.Rule(
            name: "\(number)", isDenial: Int.random(in: 0..<3, using: &random) == 0,
            subject: subjects.randomElement(using: &random) ?? .everyone, rights: Set(rights),
            in: Self.databases.randomElement(using: &random) ?? .everywhere,
            path: Self.places.randomElement(using: &random) ?? .root)
    }

    private func scopes() -> [AccessScope] {
        [.anything, .everything]
            + Self.places.flatMap { [.document($0), .collection($0), .group(below: $0)] }
    }

    /// The meaning of rules as AccessPolicy's documentation has it, rule by rule.
    private func expectation(
        _ rules: [AccessPolicy.Rule], _ right: AccessPolicy.Right, _ scope: AccessScope
    ) -> (isAllowed: Bool, rule: String?) {
        let about = rules.filter { $0.rights.contains(right) && concerns($0) }
        if let denial = about.first(where: { $0.isDenial && touches($0.path, scope) }) {
            return (false, denial.name)
        }
        return (about.contains { !$0.isDenial && covers($0.path, scope) }, nil)
    }

    private func concerns(_ rule: AccessPolicy.Rule) -> Bool {
        switch rule.place {
        case .everywhere: break
        case .project(let project): if project.string != "demo" { return false }
        case .database(let project, let database):
            if project.string != "demo" || database.string != "(default)" { return false }
        case .everyInstance, .instance: return false
        }
        return switch rule.subject {
        case .everyone: true
        case .uid(let uid): uid == Self.peer.uid
        case .gid(let gid): gid == Self.peer.gid || Self.peer.groups.contains(gid)
        case .unit(let unit): unit == Self.peer.unit
        case .userUnit(let unit): unit == Self.peer.userUnit
        }
    }

    private func covers(_ path: ResourcePath, _ scope: AccessScope) -> Bool {
        switch scope {
        case .anything: true
        case .everything: path.isEmpty
        case .document(let place), .collection(let place), .group(below: let place):
            path.isPrefix(of: place)
        case .subtree(let place): path.isPrefix(of: ResourcePath(place))
        }
    }

    private func touches(_ path: ResourcePath, _ scope: AccessScope) -> Bool {
        switch scope {
        case .anything: path.isEmpty
        case .everything: true
        case .document(let place): path.isPrefix(of: place)
        case .collection(let place):
            path.isPrefix(of: place)
                || path.count == place.count + 1 && place.isPrefix(of: path)
        case .group(below: let place): path.isPrefix(of: place) || place.isPrefix(of: path)
        case .subtree(let place):
            path.isPrefix(of: ResourcePath(place)) || ResourcePath(place).isPrefix(of: path)
        }
    }
}
