import Foundation
import Gatehouse
import Testing

@Suite struct FileStorageTests {
    @Test("What is written is there for the next process, in a file that is its owner's alone")
    func keeps() throws {
        try withFolder { folder in
            let path = "\(folder)/deep/er/app.json"
            let storage = FileStorage(path: path)
            #expect(try storage.read("key") == nil)
            try storage.remove("key")
            try storage.write(Data([0, 1, 255]), to: "key")
            try storage.write(Data("session".utf8), to: "session")
            let next = FileStorage(path: path)
            #expect(try next.read("key") == Data([0, 1, 255]))
            try next.remove("session")
            #expect(try storage.read("session") == nil)
            #expect(try storage.read("key") == Data([0, 1, 255]))
            #expect(try Self.permissions(path) == 0o600)
            #expect(try Self.permissions("\(folder)/deep/er") == 0o700)
            #expect(
                try Set(FileManager.default.contentsOfDirectory(atPath: "\(folder)/deep/er")) == [
                    "app.json", "app.json.lock",
                ])
        }
    }

    @Test("A file that others could read is tightened before it is used")
    func tightens() throws {
        try withFolder { folder in
            let path = "\(folder)/app.json"
            try FileStorage(path: path).write(Data("1".utf8), to: "key")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(try FileStorage(path: path).read("key") == Data("1".utf8))
            #expect(try Self.permissions(path) == 0o600)
        }
    }

    @Test(
        "A file that can't be understood is an error, and is kept as it is",
        arguments: ["", "{", "[]", #"{"key":1}"#, "\u{0}"])
    func corrupt(text: String) throws {
        try withFolder { folder in
            let path = "\(folder)/app.json"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let storage = FileStorage(path: path)
            #expect(throws: SecureStorageError.corrupt(path)) { try storage.read("key") }
            #expect(throws: SecureStorageError.corrupt(path)) { try storage.write(Data(), to: "key") }
            #expect(throws: SecureStorageError.corrupt(path)) { try storage.remove("key") }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
        }
    }

    @Test("A place that can't be used is an error, never an empty storage")
    func unavailable() throws {
        try withFolder { folder in
            // A folder at the file's path causes an error even for root.
            let path = "\(folder)/app.json"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            #expect(throws: SecureStorageError.self) { try FileStorage(path: path).read("key") }
            #expect(throws: SecureStorageError.self) { try FileStorage(path: path).write(Data(), to: "key") }
            let below = FileStorage(path: "/dev/null/app.json")
            #expect(throws: SecureStorageError.self) { try below.read("key") }
        }
    }

    @Test("Of writers at once, in several instances, none undoes another's item")
    func together() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let storage = FileStorage(path: "\(folder)/app.json")
                    try storage.write(Data("\(number)".utf8), to: "item-\(number)")
                }
            }
            try await group.waitForAll()
        }
        let storage = FileStorage(path: "\(folder)/app.json")
        for number in 0..<40 { #expect(try storage.read("item-\(number)") == Data("\(number)".utf8)) }
    }

    private static func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func withFolder(_ test: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try test(folder)
    }
}
