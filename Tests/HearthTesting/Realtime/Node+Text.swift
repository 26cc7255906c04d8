package import HearthModel

extension Node {
    /// The node that stands as JSON in a test's source.
    package static func reading(_ text: String) -> Node {
        do throws(NodeError) {
            return try Node(json: Array(text.utf8))
        } catch {
            preconditionFailure("\"\(text)\" in a test is no node: \(error)")
        }
    }
}
