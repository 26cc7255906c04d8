import Glibc
import Hearth

extension Firestore {
    /// One document for each order.
    public var orders: CollectionReference { collection("orders") }

    /// One document for each dish, whose field `left` counts the plates that can still be sold.
    public var stock: CollectionReference { collection("stock") }
}

/// Prints a line at once, into a pipe too.
public func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// Ends the program with what went wrong.
public func fail(_ error: any Error) -> Never {
    let bytes = Array("\(error)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
    exit(1)
}
