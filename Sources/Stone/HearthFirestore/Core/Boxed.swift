/// A large value on the heap, in a small holder.
///
/// A look into the box copies nothing. A change copies the value only if somebody else holds the
/// box too.
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
