#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Generated messages hold bytes as `Data`, our values as arrays. Only this file knows both.
enum ProtoBytes {
    static func makeData(_ bytes: [UInt8]) -> Data {
        Data(bytes)
    }

    static func makeBytes(_ data: Data) -> [UInt8] {
        [UInt8](data)
    }
}
