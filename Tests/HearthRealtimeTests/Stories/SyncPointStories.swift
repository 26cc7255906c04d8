import HearthModel
import HearthTestSupport
import Testing

/// The stories of the folder that `HEARTH_REALTIME_SPEC_DIR` names: what every SDK's listeners hear.
/// Prints a line for each file and root with how many pass.
@Suite(.serialized)
struct SyncPointStories {
    private static let folder = Judges.variable("HEARTH_REALTIME_SPEC_DIR")

    @Test(
        .enabled(if: folder != nil, "HEARTH_REALTIME_SPEC_DIR names no folder of stories"),
        arguments: ["", "foo/bar/baz"])
    func `listeners hear what the stories tell`(base: String) throws {
        let (path, folder) = (try #require(RealtimePath(base)), try #require(Self.folder))
        var count = 0
        for file in Judges.files(in: folder, ending: ".json") {
            let bytes = Judges.bytes(of: "\(folder)/\(file)") ?? []
            let content = try JSONReader.read(bytes)
            let stories = try #require(content.elements, "\(file) holds no stories")
            let failures = stories.compactMap { SyncPointFailure(playing: $0, at: path) }
            let passed = stories.count - failures.count
            print("\(file) at /\(base): \(passed) passed, \(failures.count) failed")
            for failure in failures { Issue.record("\(failure)") }
            count += stories.count
        }
        #expect(count > 0, "there are no stories in the folder")
    }
}
