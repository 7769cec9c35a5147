import AsyncHTTPClient
import GatehousePlatform
import GatehouseServer
import GatehouseWire
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// The server that a command asks, or about which it says something.
struct ServerAddress: Sendable {
    /// Without a slash at its end.
    let url: String
    /// The source of the URL, for people.
    let source: String

    static let standard = "http://127.0.0.1:8080"
    /// The settings that name it. The first that is set counts, and each before `port`.
    static let names = ["server", "public-url"]

    /// The server that is named, or else the one that runs on the command's database.
    ///
    /// - Parameters:
    ///   - sources: what the command knows, with its flags. The first that has an address counts.
    ///   - names: the settings with a URL. The first that is set counts, and each before `port`.
    static func known(to sources: [Settings], by names: [String] = names) async throws -> ServerAddress {
        for settings in sources {
            if let address = try named(by: settings, names) { return address }
            if let address = await running(on: settings) { return address }
        }
        return ServerAddress(url: standard, source: "the default")
    }

    /// Nil if the settings name none.
    static func named(by settings: Settings, _ names: [String] = names) throws -> ServerAddress? {
        for name in names {
            guard let (_, source) = settings.text(name) else { continue }
            guard let url = settings.list(name).first.flatMap(checked) else {
                throw SettingError(name, source, expected: "a URL such as \(standard)")
            }
            return ServerAddress(url: url, source: source.description)
        }
        guard let (_, source) = settings.text("port") else { return nil }
        let port = try settings.number("port", default: 8080, in: 0...65_535)
        // A free port is known to the server alone.
        guard port != 0 else { return nil }
        let host = settings.text("host")?.value ?? "127.0.0.1"
        let isSecure = settings.text("tls-certificate") != nil
        return ServerAddress(url: url(host: host, port: port, isSecure: isSecure), source: source.description)
    }

    private static func running(on settings: Settings) async -> ServerAddress? {
        guard let place = try? DataPlace(settings), let url = AddressFile(of: place).read() else { return nil }
        // A server that was killed has left its file. It answers at once, or its port refuses at once.
        let answer = try? await ServerQuestion.ask(HTTPClientRequest(url: "\(url)/health/live"), seconds: 10)
        guard answer?.status == .ok else { return nil }
        return ServerAddress(url: url, source: "the server of \(place.location)")
    }

    /// Where clients reach a server: by its public URL, or by its own address.
    static func ofClients(_ settings: Settings, _ configuration: ServerConfiguration, port: Int) -> String {
        settings.list("public-url").first.flatMap(checked)
            ?? url(host: configuration.host, port: port, isSecure: configuration.tls != nil)
    }

    static func url(host: String, port: Int, isSecure: Bool) -> String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(name):\(port)"
    }

    /// A URL in its normal form, as the paths of a server are appended to it; nil for anything else, and for a URL with a user.
    static func checked(_ text: String) -> String? {
        guard let url = WebAddress(text)?.text else { return nil }
        return url.ends(with: "/") ? String(url.dropLast()) : url
    }

    /// What to say if nobody answers there.
    ///
    /// - Parameter reason: a sentence.
    func unanswered(_ reason: String = "") -> String {
        "No Gatehouse server answers at \(url) (\(source)). \(reason)\(reason.isEmpty ? "" : " ")"
            + "Name another with --server or GATEHOUSE_SERVER."
    }
}

/// A file beside the database in which a running server says where it is, for commands on the same database.
final class AddressFile: Sendable {
    private let path: String
    private let written = Mutex<String?>(nil)

    init(of place: DataPlace) { path = "\(place.prefix).address" }

    /// A server runs without this file, so a folder that can't be written to is no error. Of several servers on one database the file has
    /// the one that has started last.
    func write(_ url: String, logger: Logger? = nil) {
        // PostgreSQL's is in a folder that nothing else makes where the master key is elsewhere.
        try? DataPlace.createFolder(of: path)
        let partial = "\(path).\(getpid())"
        unlink(partial)
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            logger?.debug("the server's address is not kept for commands", metadata: ["file": .string(path)])
            return
        }
        FolderOwner.take(descriptor, at: path)
        let isWritten = (try? OpenFile(descriptor: descriptor).write("\(url)\n".utf8)) != nil
        guard isWritten, rename(partial, path) == 0 else {
            unlink(partial)
            return
        }
        written.withLock { $0 = url }
    }

    /// The URL in the file. A file counts only if it is of this user or of the folder's owner, because operators open its URL with a
    /// secret, and somebody else may write to a folder such as /tmp.
    func read() -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let opened = OpenFile(descriptor: descriptor)
        var file = stat()
        var folder = stat()
        guard fstat(descriptor, &file) == 0, file.st_mode & 0o022 == 0,
            stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &folder) == 0,
            file.st_uid == geteuid() || file.st_uid == folder.st_uid,
            let bytes = try? opened.read(atMost: 1_024), let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return ServerAddress.checked(text.trimmingWhitespace())
    }

    /// Removes the file at the end of the server, unless another server has written it since.
    func remove() {
        guard let url = written.withLock({ $0 }), read() == url else { return }
        unlink(path)
    }
}

/// A request of a command to a server.
enum ServerQuestion {
    /// - Throws: at once if the connection is refused.
    static func ask(
        _ request: HTTPClientRequest, seconds: Int64
    ) async throws -> (status: HTTPResponseStatus, body: Data) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(seconds)))
        // The client would try again until the time is over.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let answer = try await client.execute(request, timeout: .seconds(seconds))
            let body = try await answer.body.collect(upTo: 65_536)
            try await client.shutdown()
            return (answer.status, Data(body.readableBytesView))
        } catch {
            try? await client.shutdown()
            throw error
        }
    }
}
