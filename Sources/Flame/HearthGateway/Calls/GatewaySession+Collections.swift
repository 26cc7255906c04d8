import Dispatch
import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import NIOCore

/// Which collections the cache knows.
extension GatewaySession {
    /// The queue for lists that are read from the disk beside the engine's turns.
    private static let lists = DispatchQueue(label: "hearth.gateway.lists")

    /// Reads the ids of the collections directly below a document or the root, in order.
    ///
    /// - Parameter take: Gets the ids on the connection's event loop.
    func readCollectionIDs(
        below parent: ResourcePath,
        then take: @escaping (Result<[String], HearthError>) -> Void
    ) {
        guard let reader = connection.parts.engines.engine(of: .firestore(database))?.reader else {
            return take(.failure(.shuttingDown))
        }
        let eventLoop = connection.eventLoop
        let bound = NIOLoopBound(take, eventLoop: eventLoop)
        Self.lists.async {
            let ids = Result { () throws(HearthError) in
                try Self.collectionIDs(below: parent, reader)
            }
            eventLoop.execute { bound.value(ids) }
        }
    }

    /// - Complexity: O(collections below the parent, at any depth).
    private static func collectionIDs(
        below parent: ResourcePath, _ reader: any StoreReading
    ) throws(HearthError) -> [String] {
        var ids: [String] = []
        var last = ResourcePath.root
        do throws(StoreError) {
            while true {
                let page = try reader.collections(.init(below: parent, after: last))
                for path in page.paths {
                    // A collection further below proves that there is a collection here, with its
                    // document.
                    let id = path.segments[parent.count]
                    if ids.last.map({ utf8Equals($0, id) }) != true { ids.append(id) }
                }
                guard page.hasMore, let end = page.paths.last else { return ids }
                last = end
            }
        } catch {
            throw HearthError(
                code: .internalError,
                message: "The list of collections cannot be read from the cache: \(error)")
        }
    }
}
