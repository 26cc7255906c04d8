import HearthModel

@testable import HearthBackend

/// A tree in the plainest form there is, to hold the real one against: what each path holds.
///
/// A priority is what the path ending in `/.priority` holds.
struct FlatTree: Equatable, CustomStringConvertible {
    private(set) var entries: [String: LeafValue] = [:]

    init() {}

    init(_ node: Node, at path: String = "") {
        if let leaf = node.leaf { entries[path] = leaf }
        if let priority = node.priority { entries[path + "/.priority"] = priority }
        for (key, child) in node.children {
            entries.merge(FlatTree(child, at: path + "/" + key.text).entries) { first, _ in first }
        }
    }

    var description: String {
        entries.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    /// Replaces what is at a place.
    mutating func put(_ place: WritePath, _ node: Node) {
        let path = place.path.isRoot && place.isPriority ? "/.priority" : Self.text(place)
        let new = FlatTree(node, at: path).entries
        entries = entries.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
        if place.isPriority {
            entries[path] = node.leaf
        } else if !new.isEmpty {
            for parent in Self.parents(of: path) { entries[parent] = nil }
            entries.merge(new) { $1 }
        }
        prune()
    }

    /// What lies at a path, as seen from there.
    func part(at path: RealtimePath) -> FlatTree {
        let prefix = Self.text(WritePath(path))
        var result = FlatTree()
        for (key, leaf) in entries where key == prefix || key.hasPrefix(prefix + "/") {
            result.entries[String(key.dropFirst(prefix.count))] = leaf
        }
        return result
    }

    /// What a query finds, in the slowest way there is.
    func found(by query: QueryParameters) -> FlatTree {
        var names = Set(
            entries.keys.compactMap { key -> String? in
                let name = key.split(separator: "/").first.map(String.init)
                return name == ".priority" ? nil : name
            }
        ).sorted { sortsBefore($0, $1, query) }
        names.removeAll { name in
            query.start.map { isBefore($0, name, query) } ?? false
                || query.end.map { isAfter($0, name, query) } ?? false
        }
        if let limit = query.limit {
            names = Array(
                limit.side == .first ? names.prefix(limit.count) : names.suffix(limit.count))
        }
        var result = FlatTree()
        result.entries = entries.filter { entry in
            names.contains { entry.key == "/" + $0 || entry.key.hasPrefix("/\($0)/") }
        }
        return result
    }

    private func value(_ name: String, _ query: QueryParameters) -> LeafValue? {
        switch query.index {
        case .key: .string(name)
        case .priority: entries["/\(name)/.priority"]
        case .value: value("/\(name)")
        case .child(let path): value("/\(name)\(Self.text(WritePath(path)))")
        }
    }

    /// What a path holds; for an object a number beyond all that chance gives.
    private func value(_ path: String) -> LeafValue? {
        let hasChildren = entries.keys.contains {
            $0.hasPrefix(path + "/") && $0 != path + "/.priority"
        }
        return hasChildren ? 1_000 : entries[path]
    }

    /// Absent first.
    private func order(_ left: LeafValue?, _ right: LeafValue?) -> Int {
        guard let left else { return right == nil ? 0 : -1 }
        guard let right else { return 1 }
        return left == right ? 0 : left < right ? -1 : 1
    }

    private func sortsBefore(_ left: String, _ right: String, _ query: QueryParameters) -> Bool {
        let result = query.index == .key ? 0 : order(value(left, query), value(right, query))
        return result == 0 ? left < right : result < 0
    }

    private func isBefore(_ start: QueryParameters.Bound, _ name: String, _ query: QueryParameters)
        -> Bool
    {
        let result = order(value(name, query), start.value)
        return result < 0 || result == 0 && !start.isInclusive
    }

    private func isAfter(_ end: QueryParameters.Bound, _ name: String, _ query: QueryParameters)
        -> Bool
    {
        let result = order(value(name, query), end.value)
        return result > 0 || result == 0 && !end.isInclusive
    }

    private mutating func prune() {
        let suffix = "/.priority"
        for key in entries.keys where key.hasSuffix(suffix) {
            let owner = String(key.dropLast(suffix.count))
            let isThere = entries.keys.contains {
                !$0.hasSuffix(suffix) && ($0 == owner || $0.hasPrefix(owner + "/"))
            }
            if !isThere { entries[key] = nil }
        }
    }

    private static func text(_ place: WritePath) -> String {
        place.path.isRoot && !place.isPriority ? "" : place.description
    }

    private static func parents(of path: String) -> [String] {
        var keys = path.split(separator: "/")
        var result: [String] = []
        while !keys.isEmpty {
            keys.removeLast()
            result.append(keys.map { "/" + $0 }.joined())
        }
        return result
    }
}
