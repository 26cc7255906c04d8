/// A large value on the heap: what holds it is small, it is looked into without a copy, and a change
/// copies it only if somebody else holds it too.
struct Boxed<Value: Sendable>: Sendable {
    /// Of one element: an array is the language's own box that is copied when it is written to.
    private var storage: ContiguousArray<Value>

    /// Boxes a value.
    init(_ value: Value) {
        storage = [value]
    }

    /// The value.
    var value: Value {
        _read { yield storage[0] }
        _modify { yield &storage[0] }
    }
}
