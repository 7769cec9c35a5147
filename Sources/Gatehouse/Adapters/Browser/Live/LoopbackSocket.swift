import Crypto
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Socket calls whose types and constants differ between systems.
enum LoopbackSocket {
    #if canImport(Glibc)
    static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    static let stream = SOCK_STREAM
    #endif

    /// 127.0.0.1, any free port.
    static var address: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    /// Prepares an accepted connection: reading and writing never wait, and a browser that has gone away causes an error and no signal.
    static func prepare(_ connection: Int32) {
        keepFromChildren(connection)
        neverWait(connection)
        #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Calls on the descriptor return at once: only ``LoopbackListener`` waits, where a cancelled login can end it.
    static func neverWait(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Takes the next connection; negative, with `errno`, when there is none to take.
    static func take(_ listening: Int32) -> Int32 { accept(listening, nil, nil) }

    /// Whether a failed ``take(_:)`` says something of one connection alone, and the next one may be there already.
    static func isPassing(_ failure: Int32) -> Bool {
        [EINTR, EAGAIN, EWOULDBLOCK, ECONNABORTED].contains(failure)
    }

    /// Sets close-on-exec. A program that the game starts would otherwise hold the port and the connection for as long as it runs.
    static func keepFromChildren(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.close(descriptor)
        #else
        Darwin.close(descriptor)
        #endif
    }

    /// Writes so that a browser that has gone away causes an error and not a signal.
    static func send(_ connection: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        #if canImport(Glibc)
        return Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        return Darwin.send(connection, bytes.baseAddress, bytes.count, 0)
        #endif
    }
}

/// 256 random bits for a path.
enum RandomPath {
    static func make() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { $0.map { String(format: "%02x", $0) }.joined() }
    }
}

#if !canImport(AuthenticationServices)
/// The browser that the system has set for pages.
enum SystemBrowser {
    /// glibc's call (2.34) that closes the game's descriptors in the browser, which may outlive the game by days. Swift's import of
    /// glibc lacks it.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }
    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    static func open(_ url: URL) async throws {
        let status = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: run(["xdg-open", url.absoluteString])) }
            thread.start()
        }
        guard status == 0 else {
            throw AdapterError.failed(code: Int(status), message: "The system has no browser to open (xdg-open).")
        }
    }

    static func run(_ words: [String]) -> Int32 {
        var arguments = words.map { strdup($0) }
        defer { arguments.forEach { free($0) } }
        arguments.append(nil)
        // The browser's messages don't belong in the game's output.
        var actions = posix_spawn_file_actions_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return 127 }
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        _ = closeFrom?(&actions, STDERR_FILENO + 1)
        var process = pid_t()
        guard posix_spawnp(&process, words[0], &actions, nil, arguments, environ) == 0 else { return 127 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return 127 } }
        return status
    }
}
#endif
