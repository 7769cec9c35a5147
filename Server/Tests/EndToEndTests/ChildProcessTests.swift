import Foundation
import Synchronization
import TestDatabases
import Testing

/// The child processes of tests, and how they end.
@Suite(.timeLimit(.minutes(10))) struct ChildProcessTests {
    @Test("A child process has nothing open but its three streams, whatever the test process has")
    func descriptors() async throws {
        // A listening socket of this process without close-on-exec.
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listening) }
        #expect(listen(listening, 1) == 0)
        try await withFolder { folder in
            let shown = try await Command.run(
                ["-c", "n=0; while [ $n -lt 256 ]; do [ ! -e /proc/$$/fd/$n ] || echo $n; n=$((n + 1)); done"],
                in: folder, executable: "/bin/sh")
            #expect(shown.lines == ["0", "1", "2"])
        }
    }

    @Test("A child that has not ended in its time is killed, and its last line says so")
    func overdue() async throws {
        let child = try ChildProcess("sleep", ["600"])
        let lines = Mutex<[String]>([])
        let status = await withCheckedContinuation { continuation in
            child.follow(forSeconds: 0) { line in
                lines.withLock { $0.append(line) }
            } end: {
                continuation.resume(returning: $0)
            }
        }
        #expect(status == 128 + SIGKILL)
        #expect(lines.withLock { $0 }.last?.contains("sleep was killed") == true)
    }

    @Test("What a test leaves running ends with the test's folder, also when the test fails")
    func leftRunning() async throws {
        struct Failure: Error {}
        var left: Command?
        do {
            try await withFolder { folder in
                left = try Command(["600"], in: folder, executable: "sleep")
                throw Failure()
            }
        } catch {
            #expect(error is Failure)
        }
        #expect(await left?.status() == 128 + SIGKILL)
    }

    @Test("A test that is cancelled ends the process that it waits for, and says which")
    func cancelled() async throws {
        try await withFolder { folder in
            let command = try Command(["600"], in: folder, executable: "sleep")
            await withKnownIssue {
                let waiting = Task { await command.status() }
                waiting.cancel()
                #expect(await waiting.value == 128 + SIGKILL)
            } matching: { issue in
                issue.comments.contains { $0.rawValue.contains("sleep 600") }
            }
        }
    }
}
