export { Campaign, type CampaignOptions, type Round, type Victims } from './campaign/campaign.js';
