import HearthBackend
import HearthModel
import HearthProtocol
import HearthThreads
import NIOCore
import Synchronization

/// One change on the way to all listeners.
///
/// The first connection that sends the change encodes it for all.
final class SharedChange: Sendable {
    /// The change itself.
    let change: PushedChange
    /// About how many bytes of memory the change holds for as long as it waits for a listener.
    ///
    /// Zero for the first data of a listen: the data is the tree's, and a client that does not read
    /// cannot ask for more of it.
    let byteCount: Int
    private let encoded = WrittenOnce()
    private let encoding = Mutex(())

    /// Shares a change.
    ///
    /// - Parameter isFirst: Whether the change is the first data of a listen.
    init(_ change: PushedChange, isFirst: Bool) {
        self.change = change
        byteCount = isFirst ? 0 : Self.byteCount(of: change)
    }

    /// O(n) in the size of the change.
    private static func byteCount(of change: PushedChange) -> Int {
        switch change {
        case .overwrite(_, let node): NodeSize.estimate(node)
        case .merge(_, let children):
            children.reduce(0) { $0 + NodeSize.estimate($1.node) }
        case .ranges(_, let ranges): ranges.reduce(0) { $0 + NodeSize.estimate($1.update) }
        }
    }

    /// The change as bytes.
    private final class Encoded: Sendable {
        let push: SharedPush
        /// The frames of a message without a tag.
        let untagged: TextFrames

        init(_ push: SharedPush) {
            self.push = push
            untagged = TextFrames(of: push.message(tag: nil))
        }
    }

    /// The frames of the protocol for default listens, which have no tag.
    var frames: TextFrames { encodedOnce().untagged }

    /// The frames of the protocol for listeners with this tag, or for default listens.
    func frames(tag: Int?) -> ByteBuffer {
        guard let tag else { return frames.bytes }
        var frames = ByteBuffer()
        write(tag: tag, to: &frames)
        return frames
    }

    /// Adds the frames of the protocol for listeners with this tag to others.
    func write(tag: Int, to frames: inout ByteBuffer) {
        let push = encodedOnce().push
        let ending = SharedPush.ending(tag: tag)
        let byteCount = push.byteCount + ending.utf8.count
        guard byteCount <= TextFrames.wholeByteCountMax else {
            return _ = frames.writeImmutableBuffer(TextFrames(of: push.message(tag: tag)).bytes)
        }
        frames.reserveCapacity(minimumWritableBytes: TextFrames.headByteCountMax + byteCount)
        TextFrames.writeHead(ofText: byteCount, to: &frames)
        frames.writeBytes(push.start)
        frames.writeString(ending)
    }

    /// Takes no lock once the change is encoded.
    private func encodedOnce() -> Encoded {
        if let encoded = encoded.object(Encoded.self) { return encoded }
        return encoding.withLock { _ in
            encoded.object(Encoded.self) ?? encoded.write(Encoded(SharedPush(Self.push(change))))
        }
    }

    private static func push(_ change: PushedChange) -> RealtimePush {
        switch change {
        case .overwrite(let place, let node): .overwrite(place, node, tag: nil)
        case .merge(let path, let children):
            .merge(path, children, tag: nil)
        case .ranges(let path, let ranges): .ranges(path, ranges, tag: nil)
        }
    }
}
