import HearthModel
import HearthTestSupport
import Testing

/// The same exchange with Google's emulator and with ours.
@Suite(
    .enabled(if: GoogleEmulator.isInstalled, Comment(rawValue: GoogleEmulator.absence)),
    .timeLimit(.minutes(3)))
struct WebChannelOracleTests {
    @Test func `Google's emulator says the same in the same places`() async throws {
        let google = try await GoogleEmulator.run { address in
            try await Task.detached { try Self.exchange(with: address) }.value
        }
        let ours = try await withEmulator { _, _, address in
            try await Task.detached { try Self.exchange(with: address) }.value
        }
        #expect(google.count == ours.count)
        for (theirs, our) in zip(google, ours) { #expect(theirs == our) }
    }

    /// What was said, without times, tokens and names of sessions.
    private static func exchange(with address: String) throws -> [String] {
        var said: [String] = []
        let seeded = try HTTPCall.send(
            "PATCH", "/v1/\(RawClient.name("rooms/a"))", at: address, authorization: "Bearer owner",
            body: #"{"fields":{"n":{"integerValue":"1"}}}"#)
        said.append("seed \(seeded.status)")

        let channel = ChannelClient("Listen", at: address)
        let greeting = try channel.open([ChannelMaps.listen("rooms", as: 2)])
        said.append(greeting.text.replacing(channel.session, with: "SID"))
        said.append(greeting.headers["content-type"] ?? "")
        said.append(greeting.headers["access-control-allow-origin"] ?? "")
        said.append(greeting.headers["access-control-expose-headers"] ?? "")
        said += try channel.poll(count: 4).map { plain($0.array) }
        let post = try channel.send([ChannelMaps.listen("none", as: 4)])
        said.append("post \(post.status) \(post.headers["content-type"] ?? "")")
        said += try channel.poll(count: 3).map { plain($0.array) }
        try channel.send([ChannelMaps.unlisten(4), ChannelMaps.unlisten(4)])
        said += try channel.poll(count: 1).map { plain($0.array) }
        let filter =
            #","where":{"fieldFilter":{"field":{"fieldPath":"a"},"op":"IN","value":{"integerValue":"1"}}}"#
        try channel.send([ChannelMaps.listen("rooms", as: 6, filter: filter)])
        said += try channel.poll(count: 2).map { plain($0.array) }
        let end = try channel.terminate()
        said.append("end \(end.status) \(end.text)")
        said.append("after \(try channel.send([]).status)")

        let writes = ChannelClient("Write", at: address)
        try writes.open([ChannelMaps.handshake()])
        said += try writes.poll(count: 1).map { plain($0.array) }
        try writes.send([ChannelMaps.set("rooms/b", 1, token: "MA==")])
        said += try writes.poll(count: 1).map { plain($0.array) }
        try writes.send([ChannelMaps.set("rooms/b", 2, exists: false, token: "MQ==")])
        said += try writes.poll(count: 1).map { ChannelMaps.summary($0.array) }
        return said
    }

    private static let passing: Set<String> = [
        "resumeToken", "readTime", "createTime", "updateTime", "commitTime", "streamId",
    ]

    private static func plain(_ json: JSONValue) -> String {
        switch json {
        case .object(let members):
            let parts = members.sorted { utf8Precedes($0.name, $1.name) }.map { member in
                passing.contains(member.name)
                    ? "\(member.name): ..." : "\(member.name): \(plain(member.value))"
            }
            return "{\(parts.joined(separator: ", "))}"
        case .array(let elements):
            return "[\(elements.map(plain).joined(separator: ", "))]"
        case .null, .boolean, .integer, .double, .string:
            return "\(json)"
        }
    }
}
