import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct OverloadTests {
    @Test("REL-9: more requests at once than are served get 503 with Retry-After, and nothing is written for them")
    func admission() async throws {
        var configuration = TestServer.configuration()
        configuration.maximumRequests = 4
        try await TestServer.open(on: .sqlite, configuration: configuration) { server in
            let hold = Hold()
            // The writer is blocked, so admitted requests wait.
            async let held: Void = server.database.transact { _ in hold.wait() }
            try await hold.reached()
            let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
                for _ in 0..<32 { group.addTask { try await server.logIn(TestDevice()) } }
                var answers: [TestAnswer] = []
                for try await answer in group {
                    answers.append(answer)
                    if answers.count == 28 {
                        // Health is still answered.
                        #expect(try await server.send(TestCall(method: .get, path: "/health/live")).status == 200)
                        hold.open()
                    }
                }
                return answers
            }
            try await held
            #expect(answers.filter { $0.status == 200 }.count == 4)
            let refused = answers.filter { $0.status == 503 }
            #expect(refused.count == 28)
            #expect(refused.allSatisfy { $0.code == 8001 && $0.reason == "overloaded" })
            #expect(refused.allSatisfy { $0.headers[.retryAfter] != nil })
            #expect(try await server.rowCounts().first == 4)
            #expect(try await server.logIn(TestDevice()).status == 200)
        }
    }
}
