import Glibc

/// The process's standard streams. Written at once, so that a pipe's reader sees each line.
enum Terminal {
    /// A stream.
    enum Stream: Int32 {
        case output = 1
        case error = 2
    }

    /// Writes a line to standard output; what a terminal would take for an order is escaped.
    static func print(_ line: String) {
        order(TerminalText.line(line) + "\n", to: .output)
    }

    /// Writes a line of a list to standard output; a person's terminal gets no more than its width.
    static func printRow(_ line: String) {
        let isCut = isTerminal(.output)
        print(isCut ? TerminalText.line(line).cut(to: width(.output)) : line)
    }

    /// How a table looks on standard output: colours and a width are a terminal's alone.
    static var screen: Screen {
        guard isTerminal(.output) else { return Screen() }
        let environment = ["NO_COLOR", "TERM"].reduce(into: [String: String]()) {
            $0[$1] = getenv($1).map { String(cString: $0) }
        }
        return Screen(
            width: width(.output), isColoured: Screen.wantsColours(in: environment))
    }

    /// Writes lines; what a terminal would take for an order is escaped.
    static func write(_ text: String, to stream: Stream) {
        order(TerminalText.lines(text), to: stream)
    }

    /// Writes text unchanged, with its orders to the terminal.
    ///
    /// Names from other people or programs must pass through `TerminalText` first.
    ///
    /// If standard output takes no more, the process ends: silently if the reader has gone, as a filter
    /// does, or else with the reason.
    static func order(_ text: String, to stream: Stream) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(stream.rawValue, $0.baseAddress, $0.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    var descriptor = pollfd(fd: stream.rawValue, events: Int16(POLLOUT), revents: 0)
                    poll(&descriptor, 1, -1)
                    continue
                }
                guard stream == .output else { return }
                if errno != EPIPE, let complaint = OutputFile.failure("the output").message {
                    order("hearth: \(complaint)\n", to: .error)
                }
                exit(CommandStatus.failed.rawValue)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether the stream is a terminal, whoever holds it.
    static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

    /// Whether the program can overwrite lines that it wrote to the stream.
    ///
    /// A person must read the stream, and no other program of the shell may hold the terminal.
    /// Another program holds the terminal while this program runs in the background.
    static func isOurs(_ stream: Stream) -> Bool {
        guard isTerminal(stream) else { return false }
        let group = tcgetpgrp(stream.rawValue)
        return group < 0 || group == getpgrp()  // Without one it is the terminal of no shell.
    }

    /// How many characters a line of the stream has.
    static func width(_ stream: Stream) -> Int {
        size(stream, \.ws_col) ?? 80
    }

    /// How many lines the stream shows.
    static func height(_ stream: Stream) -> Int {
        size(stream, \.ws_row) ?? 24
    }

    /// One extent of the terminal; `nil` without a terminal, or if unknown.
    private static func size(_ stream: Stream, _ extent: KeyPath<winsize, UInt16>) -> Int? {
        var size = winsize()
        let isKnown = ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0
        return isKnown && size[keyPath: extent] > 0 ? Int(size[keyPath: extent]) : nil
    }
}
