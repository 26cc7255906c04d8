import HearthModel
import Testing

@testable import HearthBackend

extension BackendSpec {
    /// A backend with rules.
    init(rules body: String) throws {
        self.init()
        try setRules(body)
    }

    /// Gives the project of all tests its rules.
    mutating func setRules(_ body: String) throws {
        try backend.setRules(
            """
            rules_version = '2';
            service cloud.firestore {
              match /databases/{database}/documents {
            \(body)
              }
            }
            """, project: Self.database.project)
    }

    /// Commits as somebody, and says how that ended.
    mutating func commit(_ writes: Mutation..., by caller: Caller) -> StatusCode {
        wait(.milliseconds(1))
        defer { act() }
        do throws(HearthError) {
            _ = try backend.commit(writes, in: Self.database, by: caller, at: now)
            return .ok
        } catch {
            return error.code
        }
    }

    /// Reads as somebody, and says how that ended.
    mutating func read(_ subject: ReadSubject, by caller: Caller) -> StatusCode {
        do throws(HearthError) {
            _ = try backend.read(subject, in: Self.database, .latest, by: caller, at: now)
            return .ok
        } catch {
            return error.code
        }
    }

    /// Reads documents as somebody.
    mutating func get(_ paths: String..., by caller: Caller) -> StatusCode {
        read(.documents(paths.map { key($0) }), by: caller)
    }

    /// Runs a query as somebody.
    mutating func list(_ query: StructuredQuery, by caller: Caller) throws -> StatusCode {
        read(.query(try QueryPlan(query, in: Self.database)), by: caller)
    }
}

extension Caller {
    /// The user of an id, without further claims.
    static func named(_ uid: String) -> Caller {
        .user(UserClaims(uid: uid, claims: ["sub": .string(uid)]))
    }

    static let alice = Caller.named("alice")
    static let bob = Caller.named("bob")
}
