import HearthEngine
package import HearthModel
package import HearthRealtime
import HearthSQLite
import HearthStore

/// The cached tree and the queue of one instance of the Realtime Database in a backup, opened to be
/// read.
///
/// The copy of the store is a file, which goes with the value.
package final class BackedUpInstance {
    /// The instance.
    package let instance: InstanceID
    private let copy: BackedUpCopy<RealtimeContent>

    /// Takes an instance out of a backup that `BackedUpDatabase` has checked. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - instance: An instance that the backup holds.
    ///   - path: Where the file may be that the store is copied to.
    /// - Throws: `BackupError` if the store is damaged.
    /// - Complexity: O(size of the backup).
    package init(
        _ instance: InstanceID, of file: BackupFile, at path: String
    ) throws(BackupError) {
        self.instance = instance
        copy = try BackedUpCopy(
            .realtime(instance), of: file,
            as: RealtimeStoreConfiguration(path: path, instance: instance, memory: .small))
    }

    /// The users whose writes wait.
    ///
    /// - Throws: `BackupError` if the backup's store cannot be read.
    package func users() throws(BackupError) -> [UserID] {
        try copy.read { reader throws(StoreError) in try reader.usersWithWrites() }
    }

    /// The tree as far as the cache holds it.
    ///
    /// What the server fills in where a write waits, such as a time, is taken from when the write was
    /// accepted.
    ///
    /// - Parameter user: Whose waiting writes are applied on top; `nil` for the tree as the backend last
    ///   told it.
    /// - Throws: `dataLoss` for a store that cannot be read.
    /// - Complexity: O(size of the tree and of the writes).
    package func tree(of user: UserID?) throws(HearthError) -> Node {
        var tree = try copy.told { reader throws(StoreError) in try reader.cachedNode(at: .root) }
        guard let user else { return tree }
        try forEachWrite { write throws(HearthError) in
            if write.user == user { tree = Self.applying(write, to: tree) }
        }
        return tree
    }

    /// Hands over the writes of all users that wait, in the order of their numbers.
    ///
    /// - Throws: The error of `body`, or `dataLoss` for a store that cannot be read.
    package func forEachWrite(
        _ body: (QueuedWrite) throws(HearthError) -> Void
    ) throws(HearthError) {
        var last = BatchID.none
        while let id = try copy.told({ reader throws(StoreError) in
            try reader.queuedWrites(after: last, count: 1).first?.id
        }) {
            last = id
            let write = try copy.told { reader throws(StoreError) in try reader.queuedWrite(id) }
            if let write { try body(write) }
        }
    }

    /// A priority comes last, when the content that has the priority is there.
    private static func applying(_ write: QueuedWrite, to root: Node) -> Node {
        let seconds = min(max(write.writtenAt.seconds, 0), 1 << 40)
        let now = seconds * 1_000 + Int64(write.writtenAt.nanoseconds) / 1_000_000
        let parts = write.change.parts
        var result = root
        for part in parts.filter({ !$0.place.isPriority }) + parts.filter(\.place.isPriority) {
            let node = part.node.resolved(over: root.node(at: part.place), at: now)
            result = result.setting(part.place, to: node)
        }
        return result
    }
}
