package import Synchronization

/// A place for one object: the first writer fills the place, and every thread reads it without a lock.
///
/// The standard library's `AtomicLazyReference` serves the same use. Each read of one takes 100 ns and
/// more, because the compiler does not specialise its code; a read here takes a tenth of that.
package struct WrittenOnce<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    @usableFromInline let reference = Atomic<Unmanaged<Object>?>(nil)

    /// An empty place.
    @inlinable
    package init() {}

    @inlinable
    deinit { reference.load(ordering: .acquiring)?.release() }

    /// The object; `nil` before the first write. The object lives at least as long as the place.
    @inlinable package var object: Object? {
        reference.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Fills the place, unless another thread was first.
    ///
    /// - Returns: The object that the place has from now on: the first writer's.
    @inlinable
    package func write(_ object: Object) -> Object {
        let own = Unmanaged.passRetained(object)
        let (isFirst, present) = reference.compareExchange(
            expected: nil, desired: own, ordering: .acquiringAndReleasing)
        guard !isFirst, let present else { return object }
        own.release()
        return present.takeUnretainedValue()
    }
}
