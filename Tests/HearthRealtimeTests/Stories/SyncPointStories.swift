import HearthModel
import HearthTestSupport
import Testing

/// The stories of the folder that `HEARTH_REALTIME_SPEC_DIR` names: what every SDK's listeners hear.
struct SyncPointStories {
    private static let folder = Judges.variable("HEARTH_REALTIME_SPEC_DIR")

    /// All stories of all files of the folder, by the names of the files.
    private static func stories() throws -> [SyncPointStory] {
        guard let folder else { return [] }
        return try Judges.files(in: folder, ending: ".json").flatMap { file in
            let bytes = Judges.bytes(of: "\(folder)/\(file)") ?? []
            return try (JSONReader.read(bytes).elements ?? []).map(SyncPointStory.init)
        }
    }

    @Test(
        .enabled(if: folder != nil, "HEARTH_REALTIME_SPEC_DIR names no folder of stories"),
        arguments: ["", "foo/bar/baz"])
    func `listeners hear what the stories tell`(base: String) throws {
        let path = try #require(RealtimePath(base))
        let stories = try Self.stories()
        #expect(!stories.isEmpty)
        for story in stories {
            var player = SyncPointPlayer(at: path)
            player.play(story)
        }
    }
}
