import HearthBackend
import HearthModel
import HearthProtocol
import Synchronization

/// One change on the way to all listeners.
///
/// The first connection that sends the change encodes it for all.
final class SharedChange: Sendable {
    /// The change itself.
    let change: PushedChange
    private let encoded = Mutex<SharedPush?>(nil)

    /// Shares a change.
    init(_ change: PushedChange) {
        self.change = change
    }

    /// The message of the protocol for listeners with this tag.
    func message(tag: Int?) -> [UInt8] {
        let push = encoded.withLock { encoded in
            let push = encoded ?? SharedPush(Self.push(change))
            encoded = push
            return push
        }
        return push.message(tag: tag)
    }

    private static func push(_ change: PushedChange) -> RealtimePush {
        switch change {
        case .overwrite(let place, let node): .overwrite(place, node, tag: nil)
        case .merge(let path, let children):
            .merge(path, children.map { RealtimeTold($0.place, $0.node) }, tag: nil)
        case .ranges(let path, let ranges): .ranges(path, ranges, tag: nil)
        }
    }
}
