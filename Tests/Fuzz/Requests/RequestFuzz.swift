import Glibc
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore

/// Gives whole requests and a backend's messages to a session with its engine and its store.
///
/// Nothing may stop the process, and no input may make the store fail. The first byte chooses the store;
/// the steps that follow are `RequestStep`s.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let steps = RequestStep.steps(in: input.dropFirst())
    if steps.isEmpty { return 0 }
    // A database takes some milliseconds to make, so most inputs go to memory.
    guard input[0] % 8 == 7 else {
        run(steps, on: MemoryStore())
        return 0
    }
    let folder = "/dev/shm/hearth-fuzz-\(getpid())"
    let configuration = StoreConfiguration(
        path: folder + "/demo.sqlite", database: RequestBench.database)
    mkdir(folder, 0o700)
    try? configuration.files.remove()
    if let store = try? SQLiteStore(configuration) { run(steps, on: store) }
    try? configuration.files.remove()
    rmdir(folder)
    return 0
}

private func run(_ steps: [RequestStep], on store: any FirestoreStore) {
    let bench = RequestBench(on: store)
    bench.run(steps)
    precondition(bench.failures.isEmpty, "The store failed: \(bench.failures)")
}

/// Changes an input by steps and by fields, so that most changed inputs can still be read.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateRequests(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ countMax: Int, _ seed: CUnsignedInt
) -> Int {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    var chance = RequestChance(seed: UInt64(seed))
    var steps = RequestStep.steps(in: input.dropFirst())
    let head = chance.once(in: 16) ? UInt8.random(in: 0...255, using: &chance.random) : input.first
    chance.mutate(&steps)
    let output = [head ?? 0] + RequestStep.bytes(of: steps)
    guard output.count <= countMax else { return count }
    for (index, byte) in output.enumerated() { bytes[index] = byte }
    return output.count
}
