package import Synchronization

/// A place for one object: the first writer fills the place, and every thread reads it without a lock.
///
/// The standard library's `AtomicLazyReference` serves the same use. Each read of one takes 100 ns and
/// more, because the compiler does not specialise its code; a read here takes a tenth of that. The place
/// keeps an address: where the compiler does not specialise a read, an atomic of `Object` would have the
/// runtime look the type of the atomic up at each read.
package struct WrittenOnce<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the object, which the place holds; 0 before the first write.
    @usableFromInline let address = Atomic<UInt>(0)

    /// An empty place.
    @inlinable
    package init() {}

    @inlinable
    deinit { Self.object(at: address.load(ordering: .acquiring))?.release() }

    /// The object; `nil` before the first write. The object lives at least as long as the place.
    @inlinable package var object: Object? {
        @inline(__always) get {
            Self.object(at: address.load(ordering: .acquiring))?.takeUnretainedValue()
        }
    }

    /// Fills the place, unless another thread was first.
    ///
    /// - Returns: The object that the place has from now on: the first writer's.
    @inlinable
    package func write(_ object: Object) -> Object {
        let own = Unmanaged.passRetained(object)
        let (isFirst, present) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: own.toOpaque()),
            ordering: .acquiringAndReleasing)
        guard !isFirst, let first = Self.object(at: present) else { return object }
        own.release()
        return first.takeUnretainedValue()
    }

    @inlinable
    @inline(__always)
    static func object(at address: UInt) -> Unmanaged<Object>? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}
