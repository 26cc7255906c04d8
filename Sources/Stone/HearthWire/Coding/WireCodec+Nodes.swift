import HearthModel
import HearthProtocol

/// The messages about the Realtime Database's tree, which mean the same in every instance.
extension WireCodec {
    // MARK: Targets

    static func encode(_ target: ListenTarget) -> ProtoWireNodeTarget {
        var proto = ProtoWireNodeTarget()
        proto.path = target.path.description
        if !target.query.isDefault {
            let query = QueryObject.encode(target.query)
            proto.query = String(decoding: JSONWriter.bytes(of: query), as: UTF8.self)
        }
        return proto
    }

    static func decode(_ proto: ProtoWireNodeTarget) throws(WireError) -> ListenTarget {
        ListenTarget(
            try at("path", path(proto.path)), try at("query", query(proto.query)))
    }

    /// Reads a query; of an empty text, the query of the whole node.
    static func query(_ text: String) throws(CodecError) -> QueryParameters {
        if text.isEmpty { return .all }
        guard text.utf8.count <= RequestLimits.queryTextByteCountMax,
            let value = try? JSONReader.read(Array(text.utf8)),
            let query = QueryObject.decode(value)
        else { throw CodecError(.unknown(value: String(text.prefix(80)))) }
        return query
    }

    // MARK: Places

    /// Reads a path from the root.
    static func path(_ text: String) throws(CodecError) -> RealtimePath {
        guard let path = RealtimePath(text) else { throw badPath(text) }
        return path
    }

    /// Reads a path that a write can name.
    static func place(_ text: String) throws(CodecError) -> WritePath {
        guard let place = WritePath(text) else { throw badPath(text) }
        return place
    }

    /// The error for a text that is no path, or no path that a write can name.
    private static func badPath(_ text: String) -> CodecError {
        let fault = text.utf8Parts("/").compactMap { part in
            part.isEmpty ? nil : ChildKey.fault(of: part).map { "\"\(part)\" is no key: \($0)" }
        }.first
        return CodecError(
            .badName(text, reason: fault ?? "what is below .info cannot be named there"))
    }

    // MARK: Changes

    static func encode(_ change: RealtimeChange) -> ProtoWireNodeChange {
        var proto = ProtoWireNodeChange()
        switch change {
        case .set(let place, let node): proto.set = encode(.init(place, node))
        case .update(let path, let parts):
            proto.update.path = path.description
            proto.update.parts = parts.map(encode)
        }
        return proto
    }

    /// Reads a change. Whether its places go together is for `RequestContents` to check.
    static func decode(_ proto: ProtoWireNodeChange) throws(CodecError) -> RealtimeChange {
        switch proto.change {
        case .set(let write):
            let part = try decode(write, below: .root)
            return .set(part.place, part.node)
        case .update(let update):
            let path = try path(update.path)
            var parts: [RealtimeChange.Part] = []
            parts.reserveCapacity(update.parts.count)
            for part in update.parts { parts.append(try decode(part, below: path)) }
            return .update(path, parts)
        case nil: throw CodecError(.missing)
        }
    }

    private static func encode(_ part: RealtimeChange.Part) -> ProtoWireNodeWrite {
        var proto = ProtoWireNodeWrite()
        proto.place = part.place.description
        switch encode(part.node) {
        case .bytes(let bytes): proto.nodeBytes = bytes
        case .json(let text): proto.json = text
        }
        return proto
    }

    private static func decode(
        _ proto: ProtoWireNodeWrite, below path: RealtimePath
    ) throws(CodecError) -> RealtimeChange.Part {
        let place = try place(proto.place)
        let full = place.below(path)
        let node: UnresolvedNode
        switch proto.content {
        case .node: node = try decode(.bytes(proto.nodeBytes), at: full)
        case .json(let text): node = try decode(.json(text), at: full)
        case nil: throw CodecError(.missing, at: "content")
        }
        return RealtimeChange.Part(place, node)
    }

    // MARK: Nodes that are written

    /// The two forms of a node that is written.
    enum WrittenNode: Hashable {
        /// A node that leaves nothing to the server.
        case bytes([UInt8])
        /// Any node.
        case json(String)
    }

    /// The form that takes the least time to read.
    static func encode(_ node: UnresolvedNode) -> WrittenNode {
        guard let node = node.node else {
            return .json(String(decoding: node.exportJSON, as: UTF8.self))
        }
        return .bytes(NodeBytes.bytes(of: node))
    }

    /// Reads a node that is written.
    ///
    /// - Parameter place: Where it is written from the root; `nil` if that is not known here.
    static func decode(
        _ written: WrittenNode, at place: WritePath?
    ) throws(CodecError) -> UnresolvedNode {
        let depthMax = max(0, RealtimePath.depthMax - (place?.path.depth ?? 0))
        switch written {
        case .bytes(let bytes):
            do throws(NodeBytes.Fault) {
                return UnresolvedNode(try NodeBytes.read(bytes, depthMax: depthMax))
            } catch {
                throw CodecError(.badNode(at: place?.description, reason: "\(error)"))
            }
        case .json(let text):
            do throws(NodeError) {
                return try NodeReader.read(
                    Array(text.utf8), from: .client, depthMax: depthMax)
            } catch {
                throw CodecError(.badNode(at: place?.description, reason: "\(error)"))
            }
        }
    }
}
