package import HearthBackend
package import HearthModel
import HearthProtocol

/// Where an emulator listens, and where it keeps its documents.
package struct EmulatorConfiguration: Sendable {
    /// Addresses that serve `google.firestore.v1`, by gRPC and REST, and the Realtime Database.
    package var firestore: [EmulatorAddress]
    /// More addresses with the same services, for clients that look for the Realtime Database.
    package var realtime: [EmulatorAddress] = []
    /// How long the Realtime Database waits before it acts on its own.
    package var realtimeTimes = RealtimeTimes()
    /// What the hosted Realtime Database refuses, if it is to be refused here too.
    package var realtimeLimits: HostedLimits?
    /// The folder that outlives the process; `nil` keeps everything in memory.
    package var dataFolder: String?
    /// How much the backend remembers.
    package var settings: BackendSettings
    /// Files of documents, or folders as Firebase's tools write them. The emulator loads them at
    /// its start, after the files of `seeds`.
    package var imports: [String] = []
    /// The same for an emulator without documents, and for trees without data.
    package var seeds: [String] = []
    /// Where all data goes at the end: documents to a file that ends in `.json` or `.bundle`, else
    /// documents and trees to a folder as Firebase's tools write it.
    package var exportPath: String?
    /// The folder in which requests may have files written and read; `nil` for none.
    package var filesFolder: String?
    /// Host names beside this machine's own that browsers may use for the emulator; without ports.
    ///
    /// Pages of these hosts may also use the endpoints that manage the emulator.
    package var hostNames: [String] = []
    /// The database for paths in files that name no database.
    package var database = DatabaseID(project: "demo")
    /// Faults from the start, in the form of the flags: `METHOD:KIND=VALUE*COUNT`.
    package var faults: [String] = []
    /// How far the clock stands from the system's.
    package var clockStep = Duration.zero
    /// Whether requests are noted for a console, with what the rules said of each.
    package var keepsRequests = false

    /// Serves at the given addresses.
    ///
    /// - Parameters:
    ///   - firestore: Addresses that serve `google.firestore.v1` and the Realtime Database.
    ///   - dataFolder: The folder that outlives the process; `nil` keeps everything in memory.
    ///   - settings: How much the backend remembers.
    package init(
        firestore: [EmulatorAddress], dataFolder: String? = nil,
        settings: BackendSettings = BackendSettings()
    ) {
        self.firestore = firestore
        self.dataFolder = dataFolder
        self.settings = settings
    }

    /// Reads a database's name, `projects/P/databases/D`.
    ///
    /// - Throws: `HearthError` `invalidArgument`.
    package static func database(_ name: String) throws(HearthError) -> DatabaseID {
        try NameReader.database(name)
    }
}
