import Glibc
import HearthModel
import HearthRealtime
import HearthSQLite
import HearthStore

/// Gives whole requests and a service's messages to a session with an instance of the Realtime Database,
/// its engine and its store.
///
/// Nothing may stop the process, and no input may make the store fail. The first byte chooses the store
/// and whether there is a fence; the steps that follow are `RequestStep`s.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInstanceRequests(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let steps = RequestStep.steps(in: input.dropFirst())
    if steps.isEmpty { return 0 }
    let fence: RealtimePath? = input[0].isMultiple(of: 2) ? nil : "fences"
    // A database takes some milliseconds to make, so most inputs go to memory.
    guard input[0] % 8 >= 6 else {
        run(steps, on: RealtimeMemoryStore(), fence)
        return 0
    }
    let folder = "/dev/shm/hearth-fuzz-\(getpid())"
    let configuration = RealtimeStoreConfiguration(
        path: folder + "/demo.sqlite", instance: InstanceRequestBench.instance)
    mkdir(folder, 0o700)
    try? configuration.files.remove()
    if let store = try? RealtimeSQLiteStore(configuration) { run(steps, on: store, fence) }
    try? configuration.files.remove()
    rmdir(folder)
    return 0
}

private func run(_ steps: [RequestStep], on store: any RealtimeStore, _ fence: RealtimePath?) {
    let bench = InstanceRequestBench(on: store, fence: fence)
    bench.run(steps)
    precondition(bench.failures.isEmpty, "The store failed: \(bench.failures)")
}

/// Changes an input by steps and by fields, so that most changed inputs can still be read.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateInstanceRequests(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ countMax: Int, _ seed: CUnsignedInt
) -> Int {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    var chance = InstanceRequestChance(seed: UInt64(seed))
    var steps = RequestStep.steps(in: input.dropFirst())
    chance.mutate(&steps)
    let head = seed % 16 == 0 ? UInt8(truncatingIfNeeded: seed >> 8) : input.first ?? 0
    let output = [head] + RequestStep.bytes(of: steps)
    guard output.count <= countMax else { return count }
    for (index, byte) in output.enumerated() { bytes[index] = byte }
    return output.count
}
