import HearthBackend
package import HearthEngine
package import HearthModel

/// Trees of the Realtime Database in the folder.
extension ForkedFolder {
    /// A write that waits for the Realtime Database, with all that a line tells of it.
    package struct TreeWrite: Sendable {
        /// The instance that the write is for.
        package let instance: InstanceID
        /// Its number in the queue.
        package let id: BatchID
        /// The Firebase user whose queue it is in.
        package let user: UserID
        /// How far it has come.
        package let state: BatchState
        /// When it was accepted.
        package let writtenAt: Timestamp
        /// Who wrote it.
        package let writer: Writer
        /// What it does to the tree.
        package let change: RealtimeChange

        /// Describes a write.
        package init(
            to instance: InstanceID, id: BatchID, user: UserID, state: BatchState,
            writtenAt: Timestamp, writer: Writer, change: RealtimeChange
        ) {
            self.instance = instance
            self.id = id
            self.user = user
            self.state = state
            self.writtenAt = writtenAt
            self.writer = writer
            self.change = change
        }
    }

    /// The file of writes to trees, which is there only if any wait.
    package static let treeQueueFileName = "realtime-queue.ndjson"

    /// A tree that the emulator cannot serve.
    package struct LeftOutTree: Sendable {
        /// Whose tree is left out.
        package let instance: InstanceID
        /// Why, as the rest of a sentence.
        package let reason: String
    }

    /// Adds the tree of an instance, which the emulator serves under the instance's name.
    ///
    /// The folder notes a tree that the emulator cannot serve in `leftOutTrees`, and has the rest.
    ///
    /// - Throws: `HearthError` if the disk fails.
    /// - Complexity: O(size of the tree).
    package func append(_ tree: Node, of instance: InstanceID) throws(HearthError) {
        guard let namespace = RealtimeNamespace(instance.name) else {
            leftOutTrees.append(
                LeftOutTree(
                    instance: instance,
                    reason: "the emulator serves no name of more than "
                        + "\(RealtimeNamespace.byteCountMax) characters"))
            return
        }
        guard namespaces.insert(namespace).inserted else {
            leftOutTrees.append(
                LeftOutTree(instance: instance, reason: "another instance has its name"))
            return
        }
        try treeKeeper().save([(namespace, .node(WritePath(RealtimePath.root), tree))])
    }

    /// Adds a line to the file of writes to trees, which is made for the first.
    ///
    /// - Throws: `HearthError` if the disk fails.
    package func append(_ write: TreeWrite) throws(HearthError) {
        let line = line(of: write)
        try self.write(line, to: try treeQueueFile())
        treeWriteCount += 1
    }

    /// The line of a write to a tree.
    func line(of write: TreeWrite) -> [UInt8] {
        var text = JSONText()
        text.beginObject()
        text.name("instance")
        text.string(write.instance.description)
        Self.writeQueued(
            write.id, write.state, at: write.writtenAt, of: write.user, by: write.writer, to: &text)
        text.name("writes")
        text.beginArray()
        for part in write.change.parts {
            text.beginObject()
            text.name("path")
            text.string(part.place.description)
            text.name("value")
            text.value(part.node.exportJSON)
            text.endObject()
        }
        text.endArray()
        text.endObject()
        return text.bytes
    }
}
