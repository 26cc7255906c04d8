import HashTreeCollections

extension TreeDictionary {
    /// Changes a value in place, if there is one.
    ///
    /// Use this call instead of `self[key]?.change()`. That expression copies a node if a picture
    /// of the dictionary shares the node. A debug build of the package then compares the copy with
    /// the shared node, and the shared node is gone if another thread has let go of the picture
    /// meanwhile.
    ///
    /// - Returns: What `body` returns; `nil` if there is no value.
    @discardableResult
    mutating func change<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        guard keys.contains(key) else { return nil }
        return updateValue(forKey: key, default: Self.absent(), with: body)
    }

    private static func absent() -> Value {
        preconditionFailure("A value that was there is gone")
    }
}
