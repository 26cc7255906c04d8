package import HearthEngine
package import HearthModel
import HearthProtocol
import HearthSQLite

/// The table `server_nodes`: what is known of the server's tree.
///
/// A small node is one row, a chunk, including everything below the node. A larger node has no row
/// of its own, but rows for its children and its priority. So for each place either one chunk, of
/// the place or of a place above, holds the node of the place, or rows below the place do. The
/// chunk of a place is the last row up to the place's bytes, because nothing lies between a chunk
/// and the places in it.
extension RealtimeSQLiteTransaction {
    package func serverNode(at path: RealtimePath) throws(StoreError) -> Node {
        let place = ServerPlace(path)
        if let chunk = try chunk(of: place) { return chunk.node.node(at: chunk.path) }
        return try rows(at: place.bytes)
    }

    package func serverNode(at path: RealtimePath, children keys: [ChildKey]) throws(StoreError)
        -> Node
    {
        let place = ServerPlace(path)
        var children: [(key: ChildKey, node: Node)] = []
        children.reserveCapacity(keys.count)
        if let chunk = try chunk(of: place) {
            let node = chunk.node.node(at: chunk.path)
            for key in keys { children.append((key, node.child(key))) }
        } else {
            for key in keys {
                children.append((key, try rows(at: place.bytes + PlaceBytes.bytes(of: key))))
            }
        }
        return Node(children: children)
    }

    package func serverBeginning(
        at path: RealtimePath, partCount: Int, ifMoreThan countMin: Int
    ) throws(StoreError) -> Node? {
        let place = PlaceBytes.bytes(of: path)
        let isLong = try connection.statement(
            "SELECT 1 FROM server_nodes WHERE place >= ? AND place < ? LIMIT 1 OFFSET ?")
        guard
            try isLong.bind(place, PlaceBytes.end(of: place), countMin).first({ _ in true })
                ?? false
        else { return nil }
        let statement = try connection.statement(
            """
            SELECT place, node FROM server_nodes WHERE place >= ? AND place < ? ORDER BY place
            LIMIT ?
            """)
        var builder = ServerNodeBuilder(at: place)
        try statement.bind(place, PlaceBytes.end(of: place), partCount)
            .forEach { row throws(StoreError) in try builder.take(row) }
        return builder.beginning
    }

    /// The keys of a place's children behind another key, in order. O(count * log n).
    func serverKeys(at path: RealtimePath, after key: ChildKey?, count: Int) throws(StoreError)
        -> [ChildKey]
    {
        let place = ServerPlace(path)
        if let chunk = try chunk(of: place) {
            let children = chunk.node.node(at: chunk.path).children
            var start = key.map { children.index(atOrAfter: $0) } ?? 0
            if start < children.endIndex, children[start].key == key { start += 1 }
            return children[start...].prefix(count).map(\.key)
        }
        let statement = try connection.statement(
            "SELECT place FROM server_nodes WHERE place >= ? AND place < ? ORDER BY place LIMIT 1")
        let end = PlaceBytes.end(of: place.bytes)
        func behind(_ key: ChildKey) -> [UInt8] {
            PlaceBytes.end(of: place.bytes + PlaceBytes.bytes(of: key))
        }
        var begin = key.map(behind) ?? PlaceBytes.begin(below: place.bytes)
        var keys: [ChildKey] = []
        while keys.count < count {
            let next = try statement.bind(begin, end).first { row throws(StoreError) in
                try row.withBytes(0) { bytes throws(StoreError) in
                    var index = place.bytes.count
                    return try PlaceBytes.key(in: bytes, at: &index)
                }
            }
            guard let next else { break }
            keys.append(next)
            begin = behind(next)
        }
        return keys
    }

    package func serverByteCount() throws(StoreError) -> Int {
        try tallies().cacheByteCount
    }

    package func setServerNode(_ node: Node, at place: WritePath) throws(StoreError) {
        guard let bytes = NodeBytes.bytes(of: node, countMax: StoreLimits.toldNodeByteCountMax)
        else {
            // The log tells no such node: the commit lasts.
            try forgetHashes(touching: place.path)
            return try put(node, at: place)
        }
        try loggedLater { () throws(StoreError) in
            try forgetHashes(touching: place.path)
            try put(node, at: place)
        } as: {
            $0.serverNode(bytes, at: place)
        }
    }

    package func pruneServerNode(at path: RealtimePath, except kept: [RealtimePath])
        throws(StoreError)
    {
        try loggedLater { () throws(StoreError) in
            try forgetHashes(touching: path, except: kept)
            try prune(ServerPlace(path), except: kept)
        } as: {
            $0.serverPruned(at: path, except: kept)
        }
    }

    // MARK: Reading

    /// The row that holds all of a place, and the way from there.
    private struct Chunk {
        let place: [UInt8]
        let node: Node
        let path: RealtimePath
        let byteCount: Int
    }

    /// Whether a place is in a chunk of its own or of a place above.
    func isInChunk(_ place: ServerPlace) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            "SELECT place FROM server_nodes WHERE place <= ? ORDER BY place DESC LIMIT 1")
        return try statement.bind(place.bytes).first { place.bytes.starts(with: $0.bytes(0)) }
            ?? false
    }

    private func chunk(of place: ServerPlace) throws(StoreError) -> Chunk? {
        let statement = try connection.statement(
            "SELECT place, node FROM server_nodes WHERE place <= ? ORDER BY place DESC LIMIT 1")
        let found = try statement.bind(place.bytes).first { row throws(StoreError) -> Chunk? in
            let bytes = row.bytes(0)
            guard place.bytes.starts(with: bytes) else { return nil }
            let node = try row.withBytes(1) { content throws(StoreError) in
                (try ServerNodeBuilder.node(from: content), content.count)
            }
            return Chunk(
                place: bytes, node: node.0, path: try place.path(fromByteCount: bytes.count),
                byteCount: node.1)
        }
        return found ?? nil
    }

    /// The node of a place that is in no chunk of a place above.
    private func rows(at place: [UInt8]) throws(StoreError) -> Node {
        let statement = try connection.statement(
            "SELECT place, node FROM server_nodes WHERE place >= ? AND place < ? ORDER BY place")
        var builder = ServerNodeBuilder(at: place)
        try statement.bind(place, PlaceBytes.end(of: place))
            .forEach { row throws(StoreError) in try builder.take(row) }
        return try builder.finish()
    }

    // MARK: Changing

    private func put(_ node: Node, at place: WritePath) throws(StoreError) {
        let target = ServerPlace(place.path)
        if let chunk = try chunk(of: target) {
            let below = WritePath(chunk.path, isPriority: place.isPriority)
            let changed = chunk.node.setting(below, to: node)
            guard changed != chunk.node else { return }
            try replace(chunk, with: changed)
            if changed.isEmpty { try removeEmptied(above: target) }
        } else if place.isPriority {
            try putPriority(node, at: target.bytes)
        } else {
            let hadRows = try deleteRows(from: target.bytes, to: PlaceBytes.end(of: target.bytes))
            try insert(node, at: target.bytes)
            if node.isEmpty, hadRows { try removeEmptied(above: target) }
        }
    }

    /// Deletes the rows between the kept places, and puts back what chunks held of kept places.
    private func prune(_ target: ServerPlace, except paths: [RealtimePath]) throws(StoreError) {
        if let chunk = try chunk(of: target) {
            let old = chunk.node.node(at: chunk.path)
            let rest = paths.compactMap(target.path.relative).reduce(Node.empty) { rest, path in
                let node = old.node(at: path)
                return node.isEmpty ? rest : rest.setting(path, to: node)
            }
            return try put(rest, at: WritePath(target.path))
        }
        let kept = paths.filter(target.path.contains).sorted().map { ServerPlace($0) }
        var rest: [(path: RealtimePath, node: Node)] = []
        for place in kept {
            guard let chunk = try chunk(of: place), chunk.place != place.bytes else { continue }
            rest.append((place.path, chunk.node.node(at: chunk.path)))
        }
        var begin = target.bytes
        for place in kept where compareBytes(place.bytes, begin) >= 0 {
            try deleteRows(from: begin, to: place.bytes)
            begin = PlaceBytes.end(of: place.bytes)
        }
        try deleteRows(from: begin, to: PlaceBytes.end(of: target.bytes))
        for kept in rest where !kept.node.isEmpty { try put(kept.node, at: WritePath(kept.path)) }
        if try !hasRows(below: target.bytes) { try removeEmptied(above: target) }
    }

    private func replace(_ chunk: Chunk, with node: Node) throws(StoreError) {
        let countMax = node.isLeaf ? Int.max : StoreLimits.chunkByteCountMax
        guard !node.isEmpty, let bytes = NodeBytes.bytes(of: node, countMax: countMax) else {
            try deleteRow(chunk.place, byteCount: chunk.byteCount)
            return try insert(node, at: chunk.place)
        }
        try connection.statement("UPDATE server_nodes SET node = ? WHERE place = ?")
            .bind(bytes, chunk.place).run()
        try tally { $0.cacheByteCount += bytes.count - chunk.byteCount }
    }

    /// Stores a node where nothing is stored: in one row, or in rows below.
    private func insert(_ node: Node, at place: [UInt8]) throws(StoreError) {
        guard !node.isEmpty else { return }
        let countMax = node.isLeaf ? Int.max : StoreLimits.chunkByteCountMax
        if let bytes = NodeBytes.bytes(of: node, countMax: countMax) {
            return try insertRow(place, bytes)
        }
        if let priority = node.priority {
            try insertRow(PlaceBytes.priority(of: place), NodeBytes.bytes(of: Node(priority)))
        }
        for child in node.children {
            try insert(child.node, at: place + PlaceBytes.bytes(of: child.key))
        }
    }

    /// Replaces the priority of a node that has rows below; elsewhere there is nothing to have one.
    private func putPriority(_ node: Node, at place: [UInt8]) throws(StoreError) {
        guard try hasRows(below: place) else { return }
        let row = PlaceBytes.priority(of: place)
        try deletePriority(row)
        if let leaf = node.leaf { try insertRow(row, NodeBytes.bytes(of: Node(leaf))) }
    }

    /// Removes the priorities of the places above that have lost their last child.
    private func removeEmptied(above target: ServerPlace) throws(StoreError) {
        for place in target.above {
            guard try !hasRows(below: place) else { return }
            try deletePriority(PlaceBytes.priority(of: place))
        }
    }

    // MARK: Rows

    private func hasRows(below place: [UInt8]) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM server_nodes WHERE place >= ? AND place < ? LIMIT 1")
        return try statement.bind(PlaceBytes.begin(below: place), PlaceBytes.end(of: place))
            .first { _ in true } ?? false
    }

    private func insertRow(_ place: [UInt8], _ node: [UInt8]) throws(StoreError) {
        try connection.statement("INSERT INTO server_nodes VALUES (?, ?)").bind(place, node).run()
        let byteCount = place.count + node.count + StoreLimits.chunkRowByteCount
        try tally { $0.cacheByteCount += byteCount }
    }

    private func deleteRow(_ place: [UInt8], byteCount: Int) throws(StoreError) {
        try connection.statement("DELETE FROM server_nodes WHERE place = ?").bind(place).run()
        try tally {
            $0.cacheByteCount -= place.count + byteCount + StoreLimits.chunkRowByteCount
        }
    }

    private func deletePriority(_ row: [UInt8]) throws(StoreError) {
        let statement = try connection.statement(
            "SELECT length(node) FROM server_nodes WHERE place = ?")
        let byteCount = try statement.bind(row).first { Int($0.int(0)) }
        if let byteCount { try deleteRow(row, byteCount: byteCount) }
    }

    /// Deletes the rows of a range of places; tells whether there were any.
    @discardableResult
    private func deleteRows(from place: [UInt8], to end: [UInt8]) throws(StoreError) -> Bool {
        let sum = try connection.statement(
            """
            SELECT count(*), sum(length(place) + length(node)) FROM server_nodes
            WHERE place >= ? AND place < ?
            """)
        let found = try sum.bind(place, end).first { (Int($0.int(0)), Int($0.int(1))) }
        guard let (count, byteCount) = found, count > 0 else { return false }
        try connection.statement("DELETE FROM server_nodes WHERE place >= ? AND place < ?")
            .bind(place, end).run()
        try tally { $0.cacheByteCount -= byteCount + count * StoreLimits.chunkRowByteCount }
        return true
    }
}
