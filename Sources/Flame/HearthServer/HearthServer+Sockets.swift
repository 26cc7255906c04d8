import HearthModel
import HearthWire
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Where programs and administrators connect.
extension HearthServer {
    /// Listens on systemd's sockets, or on a socket at the configured place.
    func listen(
        _ name: String, _ inherited: [Int32]?, _ socket: ServerConfiguration.Socket
    ) async {
        if let inherited {
            for descriptor in inherited {
                if SocketFile.isSocket(descriptor) {
                    await start(name, descriptor, nil)
                } else {
                    refuse(name, descriptor)
                }
            }
            return
        }
        guard let path = socket.path else {
            reporter.setReason(
                "There is no place for the \(name) socket. Set sockets.\(name).", for: name)
            return
        }
        do throws(HearthError) {
            let (file, descriptor) = try SocketFile.bind(path: path, mode: socket.mode)
            await start(name, descriptor, file)
        } catch {
            reporter.setReason(error.message, for: name)
            logger.error("socket failed", metadata: ["socket": "\(name)", "reason": "\(error)"])
            retry(name) { await self.listen(name, nil, socket) }
        }
    }

    /// Tries again, later, to listen.
    private func retry(_ name: String, _ listen: @escaping @Sendable () async -> Void) {
        let retry = group.next().scheduleTask(in: .seconds(5)) {
            Task { await listen() }
            return
        }
        running.withLock { running in
            running.retries[name] = retry
            if running.isStopping { retry.cancel() }
        }
    }

    /// Whoever started the daemon has handed over something else than a socket.
    private func refuse(_ name: String, _ descriptor: Int32) {
        let reason =
            "The descriptor \(descriptor), which was handed over as the \(name) socket, is no socket. "
            + "Start the daemon by its socket units, or without LISTEN_FDS."
        reporter.setReason(reason, for: name)
        logger.error("socket failed", metadata: ["socket": "\(name)", "reason": "\(reason)"])
    }

    private func start(_ name: String, _ descriptor: Int32, _ file: SocketFile?) async {
        if name == "client" {
            noteClientSocket(file?.path ?? BoundAddress(of: descriptor)?.path)
        }
        do {
            let listener = try UnixListener(
                descriptor: descriptor, file: file, entrance: entrance(admission(name)),
                tell: teller(of: name))
            running.withLock { $0.listeners.append(listener) }
            reporter.setReason(nil, for: name)
            logger.notice(
                "listening",
                metadata: ["socket": "\(name)", "path": "\(file?.path ?? "systemd's")"])
        } catch {
            reporter.setReason("The \(name) socket cannot be used: \(error).", for: name)
            logger.error("socket failed", metadata: ["socket": "\(name)", "reason": "\(error)"])
        }
    }

    private func entrance(_ admit: @escaping Entrance.Admit) -> Entrance {
        let hasRights = { @Sendable [settings] (peer: Peer) in
            !settings.values.access.isGuest(peer)
        }
        let administers = { @Sendable [settings] (peer: Peer) in
            settings.values.access.allows(.administer, to: peer)
        }
        return Entrance(
            group: group, queues: queues, doorstep: doorstep, hasRights: hasRights,
            administers: administers, admit: admit)
    }

    /// Tells operators when a socket can accept nobody, and when the socket accepts clients again.
    private func teller(of name: String) -> AcceptThread.Tell {
        { [logger, reporter] news in
            // Not the socket's own name, under which the reason stands why nobody listens there.
            let subject = "clients of \(name)"
            switch news {
            case .failing(let failure):
                reporter.setReason(
                    "Clients cannot come in at the \(name) socket. \(failure.words)", for: subject)
                logger.record(.acceptFailed, [.socket: name, .reason: failure.words])
            case .over:
                reporter.setReason(nil, for: subject)
                logger.record(.acceptRecovered, [.socket: name])
            }
        }
    }

    /// Who serves the clients of a socket.
    private func admission(_ name: String) -> Entrance.Admit {
        if let gateway, let listener = GatewayListener(rawValue: name) {
            return { try gateway.admit($0, $1, by: listener) }
        }
        let sessions = sessions(isControl: name == "control")
        return { try UnixListener.admit($0, $1, sessions) }
    }

    private func sessions(isControl: Bool) -> UnixListener.Sessions {
        UnixListener.Sessions(
            directory: configuration.directory, settings: settings,
            daemonVersion: Self.version,
            setups: DaemonSetups(configuration),
            services: SessionHandler.Services(
                registry: registry, engines: engines, reporter: reporter, signIn: signIn,
                keeping: keeping,
                keptPlacesChanged: { [weak self] in self?.keptPlacesChanged(in: $0) },
                pinning: pinning,
                pinsChanged: { [weak self] in self?.pinsChanged(in: $0, answering: $1) },
                backups: backups, noteSharing: { [noteSharing] in noteSharing.yield() },
                descriptors: descriptors,
                shares: shares, largeFrames: largeFrames, farewellTimeMax: .seconds(2)),
            storeGeneration: running.withLock { $0.storeGeneration }, isControl: isControl)
    }

    /// Without access rules, whom the client socket lets in reads and writes.
    private func noteClientSocket(_ path: String?) {
        let standard = path.flatMap(SocketFile.permissions).map {
            AccessPolicy.standard(group: $0.group, mode: $0.mode)
        }
        running.withLock { $0.standardAccess = standard }
        guard running.withLock({ $0.configuration.access }) == nil, let standard else { return }
        reconfigure(settings.change { $0.access = standard })
        keepPlaces()  // What programs ordered counts only now.
        reviewPins()
    }
}

/// Where the official clients connect.
extension HearthServer {
    /// Listens where the gateway's clients connect, if there is a gateway.
    ///
    /// What systemd listens on is served even if the gateway is switched off, to tell the clients
    /// that it is.
    func listenForGateway(_ inherited: [String: [Int32]]) async {
        guard let gateway else { return }
        let places = configuration.gateway
        for (listener, path) in [
            (GatewayListener.standard, places.socket), (.local, places.localSocket),
        ] {
            let name = listener.rawValue
            guard inherited[name] != nil || (places.isEnabled && path != nil) else { continue }
            await listen(
                name, inherited[name],
                ServerConfiguration.Socket(path: path, mode: configuration.clientSocket.mode))
        }
        if places.isEnabled, let address = places.address { await listen(at: address, gateway) }
    }

    private func listen(at address: LoopbackAddress, _ gateway: any GatewayAdmission) async {
        let name = "gateway"
        do {
            let listener = try LoopbackListener(
                at: address, entrance: entrance { try gateway.admit($0, $1, by: .standard) },
                tell: teller(of: name))
            running.withLock {
                $0.listeners.append(listener)
                $0.loopbackAddress = listener.address
            }
            reporter.setReason(nil, for: name)
            logger.notice(
                "listening",
                metadata: ["socket": "\(name)", "address": "\(listener.address)"])
        } catch {
            reporter.setReason("gateway.address \(address) cannot be used: \(error).", for: name)
            logger.error("socket failed", metadata: ["socket": "\(name)", "reason": "\(error)"])
            retry(name) { await self.listen(at: address, gateway) }
        }
    }

    /// The port of the loopback interface where the gateway listens; `nil` if it does not.
    package var loopbackAddress: LoopbackAddress? { running.withLock { $0.loopbackAddress } }
}
