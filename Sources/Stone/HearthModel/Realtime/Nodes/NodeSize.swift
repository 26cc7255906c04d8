/// Estimates the size of a node, as SDKs do before they ask for parts of the node.
///
/// - Source: firebase-android-sdk `core/utilities/NodeSizeEstimator.java`.
package enum NodeSize {
    /// For known data above this many bytes, a listen sends the compound hash of the data.
    package static let compoundHashByteCountMin = 1_024

    /// About how many bytes the node has as JSON. O(1), but for the text of a leaf.
    package static func estimate(_ node: Node) -> Int {
        let priority = node.priority.map { 24 + estimate($0) } ?? 0
        if let leaf = node.leaf { return estimate(leaf) + priority }
        guard let byteCount = node.childrenByteCount else { return 4 }
        return 1 + priority + byteCount
    }

    private static func estimate(_ leaf: LeafValue) -> Int {
        switch leaf {
        case .bool: 4
        case .integer, .double: 8
        case .string(let text): text.utf16.count + 2
        }
    }
}
