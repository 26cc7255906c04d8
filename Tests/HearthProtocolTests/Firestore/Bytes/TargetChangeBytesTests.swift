import HearthModel
import HearthProtocol
import Testing

/// What is told of targets, written without a generated message.
struct TargetChangeBytesTests {
    private static let kinds: [TargetWatchChange.Kind] = [
        .noChange, .added, .removed(nil), .current, .reset,
        .removed(HearthError(code: .permissionDenied, message: "no")),
    ]

    @Test(arguments: kinds)
    func `the bytes say what the generated message says`(kind: TargetWatchChange.Kind) throws {
        let codec = FirestoreCodec(database: DatabaseID(project: "p"))
        for targets in [[], [2], [1, -1, 300]] as [[Int32]] {
            for token in [nil, Array(repeating: 7, count: 200), [1]] as [[UInt8]?] {
                for time in [0, 1, 1_700_000_000_123_456] as [Int64] {
                    let change = TargetWatchChange(
                        kind: kind, targets: targets.map { WireTargetID($0) },
                        resumeToken: token.flatMap { ResumeToken($0) },
                        readAt: SnapshotVersion(Timestamp(microseconds: time)))
                    let generated = FirestoreCodec.bytes(of: try codec.encode(.target(change)))
                    #expect(FirestoreCodec.targetChangeBytes(change) == generated)
                    #expect(try codec.watchChangeBytes(.target(change)) == generated)
                }
            }
        }
    }
}
