import HearthModel
import Testing

@testable import HearthBackend

/// Who a request's authorization names.
struct CallerTests {
    private static func code(_ authorization: String) -> StatusCode {
        do throws(HearthError) {
            _ = try Caller(authorization: authorization)
            return .ok
        } catch {
            return error.code
        }
    }

    @Test func `the owner is the admin, and without authorization it is nobody`() throws {
        #expect(try Caller(authorization: "Bearer owner") == .admin)
        #expect(try Caller(authorization: "bearer owner") == .admin)
        #expect(try Caller(authorization: nil) == .nobody)
    }

    @Test func `a token names a user and shows its claims`() throws {
        // {"alg":"none","typ":"JWT"} . {"sub":"alice","admin":true,"level":3,"tags":["a",{"b":null}]}
        let caller = try Caller(
            authorization: "Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0."
                + "eyJzdWIiOiJhbGljZSIsImFkbWluIjp0cnVlLCJsZXZlbCI6MywidGFncyI6WyJhIix7ImIiOm51"
                + "bGx9XX0.")
        guard case .user(let user) = caller else {
            Issue.record("\(caller) is no user.")
            return
        }
        #expect(user.uid == "alice")
        #expect(user.claims["admin"] == .boolean(true))
        #expect(user.claims["level"] == .integer(3))
        #expect(user.claims["tags"] == .array([.string("a"), .map(["b": .null])]))
    }

    @Test(arguments: ["Basic abc", "Bearer", "owner", ""])
    func `another scheme is unknown`(authorization: String) {
        #expect(Self.code(authorization) == .unknown)
    }

    @Test(arguments: [
        "Bearer x", "Bearer a.b.c", "Bearer owner2", "Bearer  owner", "Bearer ..",
        "Bearer e30.e30.", "Bearer e30.eyJzdWIiOjF9.", "Bearer e30.eyJzdWIi.",
        "Bearer e30.eyJzdWIiOiJhIn0", "Bearer eyJ.eyJzdWIiOiJhIn0.",
    ])
    func `a token that cannot be read is an invalid argument`(authorization: String) {
        #expect(Self.code(authorization) == .invalidArgument)
    }

    @Test func `a token has a greatest length`() {
        let token = String(repeating: "a", count: Caller.tokenByteCountMax + 1)
        #expect(Self.code("Bearer \(token)") == .invalidArgument)
    }
}
