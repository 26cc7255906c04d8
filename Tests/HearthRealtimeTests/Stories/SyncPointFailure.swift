import HearthModel

/// A story that does not pass, with everything that was otherwise than the story tells.
struct SyncPointFailure: CustomStringConvertible {
    let name: String
    let faults: [String]

    var description: String { "FAILED: \(name)\n" + faults.joined(separator: "\n") }

    /// Plays a story; `nil` if the story passes. A story that cannot be read fails too.
    init?(playing json: JSONValue, at base: RealtimePath) {
        name = json["name"]?.string ?? "a story without a name"
        faults = Self.faults(of: json, at: base)
        if faults.isEmpty { return nil }
    }

    private static func faults(of json: JSONValue, at base: RealtimePath) -> [String] {
        do {
            var player = SyncPointPlayer(at: base)
            player.play(try SyncPointStory(json))
            return player.faults
        } catch {
            return ["\(error)"]
        }
    }
}
