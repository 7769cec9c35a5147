import Foundation

/// What is fed to one parser, and what must hold for whatever comes of it.
struct Target: Sendable {
    let name: String
    /// No input that is longer is tried: as long as the server reads from outside.
    let maximumLength: Int
    /// Throws ``Broken`` when a rule does not hold. A trap is found by libFuzzer itself.
    let check: @Sendable ([UInt8]) throws -> Void

    static let all: [Target] = [
        .json, .bodies, .token, .proof, .keys, .client, .languages, .address, .form, .base64url, .date, .certificate,
    ]
}

/// A rule that does not hold.
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func unless(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
        if !holds { throw Broken(rule()) }
    }
}

/// libFuzzer's entry for programs that have a `main` of their own.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main
struct Fuzz {
    nonisolated(unsafe) private static var target = Target.json

    /// `gatehouse-fuzz TARGET [libFuzzer's arguments]`, `gatehouse-fuzz list`.
    static func main() {
        let name = CommandLine.arguments.dropFirst().first ?? "list"
        guard let target = Target.all.first(where: { $0.name == name }) else {
            print(Target.all.map(\.name).joined(separator: "\n"))
            exit(name == "list" ? 0 : 2)
        }
        self.target = target
        // libFuzzer parses its flags itself: it gets the arguments without the target's name.
        let texts = [CommandLine.arguments[0], "-max_len=\(target.maximumLength)"] + CommandLine.arguments.dropFirst(2)
        var count = CInt(texts.count)
        let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() { copies[index] = strdup(text) }
        copies[texts.count] = nil
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = copies
        exit(runDriver(&count, &arguments) { data, size in Fuzz.run(UnsafeBufferPointer(start: data, count: size)) })
    }

    private static func run(_ data: UnsafeBufferPointer<UInt8>) -> CInt {
        let input = Array(data)
        do {
            try Effort.check(input, target.check)
        } catch {
            FileHandle.standardError.write(Data("broken: \(target.name): \(error)\n".utf8))
            // libFuzzer keeps the input of a process that aborts.
            abort()
        }
        return 0
    }
}

/// What an input may cost. Counted in the processor's time of this thread, so that a busy machine changes nothing.
private enum Effort {
    /// A multiple of what plain inputs of the length need here: what grows with the square of the length is far above it.
    private static func bound(_ length: Int) -> Double { 0.05 + Double(length) * 0.000_002 }

    static func check(_ input: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
        // Costs a second run for the few that are slow, so that tables that are built once do not count.
        guard try seconds(input, body) > bound(input.count) else { return }
        let least = try min(seconds(input, body), seconds(input, body))
        try Broken.unless(least <= bound(input.count), "\(input.count) bytes cost \(least) seconds")
    }

    private static func seconds(_ input: [UInt8], _ body: ([UInt8]) throws -> Void) throws -> Double {
        let start = now()
        try body(input)
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
