// Reads a line for each access token, or `refresh`, and answers with a line each.
import { createInterface } from 'node:readline'
import { Gatehouse } from './gatehouse.mjs'

const { GATEHOUSE_SERVER: server, GATEHOUSE_APP: app, GATEHOUSE_SECRET: secret } = process.env
const gatehouse = new Gatehouse({ server, app, secret })
for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(line === 'refresh' ? `next ${await gatehouse.refresh()}` : `user ${(await gatehouse.check(line)).sub}`)
  } catch (error) {
    console.log(`refused ${error.message}`)
  }
}
