import Hearth
package import HearthModel

/// Nodes of the Realtime Database and writes to them as JSON.
package enum NodeJSON {
    /// Places of one write: more than any person types.
    private static let writeCountMax = 1_000

    /// One level of a node: the children of a page, with the values of leaves alone.
    ///
    /// - Parameters:
    ///   - children: The children in the order of keys; one more than the page has if there are more.
    ///   - isPart: Whether the node holds a part of its children alone.
    ///   - isFromCache: Whether the backend may know better; `nil` if nobody said.
    static func level(
        of node: Node, at path: String, pageSize: Int, isPart: Bool, isFromCache: Bool?
    ) -> JSONValue {
        level(
            of: node, Page(node.children.prefix(pageSize), of: node.childCount, isPart: isPart),
            at: path, isFromCache: isFromCache)
    }

    /// The children that a page shows.
    private struct Page {
        let children: Slice<NodeChildren>
        let hasMore: Bool
        /// Whether there are children before the page.
        let isPart: Bool

        /// - Parameter end: Where the children end that the page is of.
        init(_ children: Slice<NodeChildren>, of end: Int, isPart: Bool) {
            self.children = children
            self.isPart = isPart
            hasMore = children.endIndex < end
        }
    }

    /// The same of a node that holds all its children.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - path: The node's place, for the page.
    ///   - pageSize: How many children at most.
    ///   - after: The key behind which the page begins; `nil` for the first page.
    package static func level(
        of node: Node, at path: String, pageSize: Int, after: ChildKey?
    ) -> JSONValue {
        let all = node.children
        var start = after.map { all.index(atOrAfter: $0) } ?? 0
        if let after, start < all.endIndex, all[start].key == after { start += 1 }
        let page = Page(
            all[start...].prefix(pageSize), of: all.endIndex, isPart: after != nil)
        return level(of: node, page, at: path, isFromCache: false)
    }

    private static func level(
        of node: Node, _ page: Page, at path: String, isFromCache: Bool?
    ) -> JSONValue {
        let next = page.hasMore ? page.children.last?.key.text : nil
        return .members([
            "path": .string(path), "exists": .boolean(!node.isEmpty),
            "isFromCache": isFromCache.map { .boolean($0) } ?? .null, "value": leaf(node.leaf),
            "priority": leaf(node.priority),
            "childCount": page.isPart || next != nil ? .null : .count(node.childCount),
            "children": .array(page.children.map { child($0.key, $0.node) }), "next": .text(next),
        ])
    }

    private static func child(_ key: ChildKey, _ node: Node) -> JSONValue {
        .members([
            "key": .string(key.text), "kind": .string(kind(of: node)), "value": leaf(node.leaf),
            "childCount": .count(node.childCount), "priority": leaf(node.priority),
        ])
    }

    private static func kind(of node: Node) -> String {
        switch node.leaf {
        case nil: "object"
        case .bool: "boolean"
        case .string: "string"
        case .integer, .double: "number"
        }
    }

    private static func leaf(_ leaf: LeafValue?) -> JSONValue {
        switch leaf {
        case nil: .null
        case .bool(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .number(number)
        case .string(let text): .string(text)
        }
    }

    /// A value as the library hands it out.
    static func json(of value: any Sendable) -> JSONValue {
        switch value {
        case let flag as Bool: .boolean(flag)
        case let number as Int: .count(number)
        case let number as Double: .number(number)
        case let text as String: .string(text)
        case let map as [String: any Sendable]:
            .object(
                map.sorted { utf8Precedes($0.key, $1.key) }
                    .map { .init(name: $0.key, value: json(of: $0.value)) })
        case let elements as [any Sendable]: .array(elements.map(json(of:)))
        default: .null
        }
    }

    /// The writes in a list: `[{"path": "/rooms/hall", "value": JSON}]`.
    ///
    /// - Throws: `HearthError` `invalidArgument`.
    static func writes(_ json: JSONValue?) throws(HearthError) -> [PendingNodeWrite] {
        guard let elements = json?.elements, (1...writeCountMax).contains(elements.count) else {
            throw .argument("\"writes\" is a list of 1 to \(writeCountMax) writes.")
        }
        var writes: [PendingNodeWrite] = []
        for element in elements {
            guard let path = element["path"]?.string, let value = element["value"] else {
                throw .argument("A write has a path and a value.")
            }
            writes.append(PendingNodeWrite(path: path, value: any(value)))
        }
        return writes
    }

    /// JSON as the library takes it; `nil` for null.
    private static func any(_ json: JSONValue) -> (any Sendable)? {
        switch json {
        case .null: return nil
        case .boolean(let flag): return flag
        case .integer(let number): return Int(number)
        case .double(let number): return number
        case .string(let text): return text
        case .array(let elements):
            // A place without an element stays free.
            var map: [String: any Sendable] = [:]
            for (index, element) in elements.enumerated() { map["\(index)"] = any(element) }
            return map
        case .object(let members):
            var map: [String: any Sendable] = [:]
            for member in members { map[member.name] = any(member.value) }
            return map
        }
    }
}
