package import Synchronization

/// A place for one object: the first writer fills the place, and every thread reads it without a lock.
///
/// The type of the object is no parameter of the place, and every use of a place names the same type.
/// The compiler specialises no code of a generic type that cannot be copied: a read of the standard
/// library's `AtomicLazyReference` takes 70 to 150 ns, because the runtime looks its type up, and a read
/// here takes 12.
package struct WrittenOnce: ~Copyable, Sendable {
    /// The address of the object, which the place holds; 0 before the first write.
    @usableFromInline let address = Atomic<UInt>(0)

    /// An empty place.
    @inlinable
    package init() {}

    @inlinable
    deinit { Self.object(at: address.load(ordering: .acquiring))?.release() }

    /// The object; `nil` before the first write. The object lives at least as long as the place.
    ///
    /// - Parameter type: The type of whatever is written to the place.
    @inlinable
    package func object<Object: AnyObject & Sendable>(_ type: Object.Type) -> Object? {
        guard let object = Self.object(at: address.load(ordering: .acquiring)) else { return nil }
        return unsafeDowncast(object.takeUnretainedValue(), to: type)
    }

    /// Fills the place, unless another thread was first.
    ///
    /// - Returns: The object that the place has from now on: the first writer's.
    @inlinable
    package func write<Object: AnyObject & Sendable>(_ object: Object) -> Object {
        let own = Unmanaged<AnyObject>.passRetained(object)
        let (isFirst, present) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: own.toOpaque()),
            ordering: .acquiringAndReleasing)
        guard !isFirst, let first = Self.object(at: present) else { return object }
        own.release()
        return unsafeDowncast(first.takeUnretainedValue(), to: Object.self)
    }

    @inlinable
    static func object(at address: UInt) -> Unmanaged<AnyObject>? {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
        return Unmanaged.fromOpaque(pointer)
    }
}
