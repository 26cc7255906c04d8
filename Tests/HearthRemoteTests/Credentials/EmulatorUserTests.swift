import HearthModel
import HearthRemote
import Testing

struct EmulatorUserTests {
    @Test func `an emulator's user shows a token that nobody signed`() async throws {
        let clock = ManualRemoteClock()
        let user = EmulatorUser(UserID("ann"), project: "demo", clock: clock)
        let shown = try await user.headers(as: UserID("ann"))[0].value.revealed
        #expect(shown.hasPrefix("Bearer "))
        let parts = shown.dropFirst("Bearer ".count)
            .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        #expect(parts.count == 3)
        #expect(parts[2].isEmpty)
        let header = try JSONReader.read(try #require(Base64.decode(parts[0])))
        #expect(header["alg"] == .string("none"))
        let claims = try JSONReader.read(try #require(Base64.decode(parts[1])))
        #expect(claims["sub"] == .string("ann"))
        #expect(claims["user_id"] == .string("ann"))
        #expect(claims["aud"] == .string("demo"))
        #expect(claims["iss"] == .string("https://securetoken.google.com/demo"))
        #expect(claims["exp"] == .integer(clock.now().seconds + 3_600))
    }

    @Test func `it is nobody else`() async {
        let user = EmulatorUser(UserID("ann"), project: "demo", clock: ManualRemoteClock())
        await #expect(throws: HearthError.self) { try await user.headers(as: UserID("bert")) }
        await #expect(throws: HearthError.self) { try await user.headers(as: .unauthenticated) }
    }
}
