import HearthModel
import HearthProtocol

/// The steps of the last hour.
extension WireCodec {
    static func encode(_ step: HourStep) -> ProtoWireHourStep {
        var proto = ProtoWireHourStep()
        proto.endedAt = FirestoreCodec.encode(step.endedAt)
        proto.seconds = step.seconds
        proto.queueBatchCount = UInt64(clamping: step.queueBatchCount ?? 0)
        proto.hasUnknownCounts_p = step.queueBatchCount == nil
        proto.acceptedCount = step.acceptedCount
        proto.committedCount = step.committedCount
        proto.rejectedCount = step.rejectedCount
        proto.snapshotCount = step.snapshotCount
        (proto.commitCount, proto.commitSeconds) = (step.commits.count, step.commits.seconds)
        proto.storeCommitCount = step.storeCommits.count
        proto.storeCommitSeconds = step.storeCommits.seconds
        proto.longestSeconds = step.longestSeconds ?? 0
        return proto
    }

    static func decode(_ proto: ProtoWireHourStep) throws(CodecError) -> HourStep {
        guard proto.seconds > 0, proto.seconds.isFinite else {
            throw CodecError(.outOfRange(value: "\(proto.seconds)"), at: "seconds")
        }
        let endedAt: Timestamp
        do throws(CodecError) {
            endedAt = try FirestoreCodec.decode(proto.endedAt)
        } catch {
            throw error.inside("ended_at")
        }
        var step = HourStep(endedAt: endedAt, seconds: proto.seconds)
        step.queueBatchCount =
            proto.hasUnknownCounts_p ? nil : Int(clamping: proto.queueBatchCount)
        step.acceptedCount = proto.acceptedCount
        step.committedCount = proto.committedCount
        step.rejectedCount = proto.rejectedCount
        step.snapshotCount = proto.snapshotCount
        step.commits = HourStep.Sum(count: proto.commitCount, seconds: proto.commitSeconds)
        step.storeCommits = HourStep.Sum(
            count: proto.storeCommitCount, seconds: proto.storeCommitSeconds)
        step.longestSeconds = proto.longestSeconds > 0 ? proto.longestSeconds : nil
        return step
    }
}
